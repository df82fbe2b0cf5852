#include "sync/errand.hpp"

#include "store/hop_by_hop.hpp"
#include "store/http_date.hpp"
#include "store/partial_content.hpp"
#include "store/validation.hpp"
#include "store/vary.hpp"
#include "sync/errc.hpp"
#include "sync/ledger.hpp"
#include "sync/log_url.hpp"
#include "sync/portal.hpp"

#include <spdlog/spdlog.h>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace cistern::sync {
namespace {

namespace net = boost::asio;

/// Feeds and homepages change all the time and are short: only fetched whole (pitfalls 5d.9).
bool is_resumable(store::object_kind kind) {
  return kind != store::object_kind::feed && kind != store::object_kind::homepage;
}

/// Whether a request with these fields would have been answered with it.
bool selects(store::stored_object const& object, store::header_block const& request) {
  for (auto const& field : object.selecting)
    if (field.name == "*" || store::vary_key(field.name, request) != field.value) return false;
  return true;
}

}  // namespace

errand::errand(downloads& owner, wish what, http_client& client, std::shared_ptr<transfer> to)
    : owner_{owner}, what_{std::move(what)}, client_{client}, to_{std::move(to)} {
  owner_.begins(this);
}

errand::~errand() {
  owner_.is_over(this);
  release_claims();
}

void errand::release_claims() {
  for (auto const object : std::exchange(claims_, {})) owner_.release(object);
}

void errand::abandon() {
  if (owner_.link_.worth_trying(host_)) return;  // it does not need the link
  if (arriving_)
    arriving_->abandon();
  else
    stop_.emit(net::cancellation_type::terminal);
}

void errand::forget() { owner_.forget(what_.url, to_); }

void errand::claim(std::uint64_t object) {
  if (!claims_.contains(object) && owner_.claim(object)) claims_.insert(object);
}

net::awaitable<void> errand::run() {
  co_await fetch();
  co_await charge();
}

/// What people fetched; the engine, which fetches everything else, writes down its own.
net::awaitable<void> errand::charge() {
  auto* const spending = owner_.settings_.spending;
  if (!spending || what_.purpose != store::job_class::person || !what_.meter) co_return;
  ledger_facts facts{.host = host_, .link = owner_.link_.state() == link_state::up ? "up" : "down"};
  facts.what.purpose = what_.purpose;
  facts.received = what_.meter->received.load();
  facts.sent = what_.meter->sent.load();
  if (facts.received + facts.sent == 0) co_return;
  auto task = [line = ledger_line(std::move(facts), spending->period().day)](store::write_batch& b) { b.charge(line); };
  auto const written = co_await owner_.kept_.write(std::move(task), net::use_awaitable);
  if (!written) spdlog::debug("ledger.not_written error={}", log_value(written.error().message()));
}

net::awaitable<void> errand::fetch() {
  // What broke a moment ago may still be writing the bytes that this one goes on behind.
  if (auto const before = what_.sharable ? owner_.ending(what_.url) : nullptr) co_await before->wait_for_end();
  find_partial();
  auto answer = co_await get_answer();
  if (!answer) {
    spdlog::debug("fetch.failed url={} error={}", log_url(what_.url), log_value(answer.error().message()));
    release_claims();
    forget();  // who asks from now on tries anew
    to_->fail(answer.error());
    co_return;
  }
  if (!*answer) co_return;
  spdlog::debug("fetch url={} status={} from={} head={}", log_url(what_.url), (*answer)->status, verdict_.start,
                (*answer)->wire().received.load());
  begin(**answer);
  if (what_.most && total_.value_or(0) > *what_.most) {
    to_->fail(errc::body_too_large);
    co_return;
  }
  co_await pump(std::move(**answer));
}

/// What an earlier try left of it. The longest, should there be several. Somebody's own request (with a password, with
/// conditions) has nothing to do with that.
void errand::find_partial() {
  auto const url = parse_url(what_.url);
  if (!what_.sharable || !is_resumable(what_.kind) || !url) return;
  patience_ = owner_.patience_with(url->to.host);
  for (auto& each : owner_.unfinished(what_.url)) {
    bool const usable = each.status == 200 && is_resumable(each.kind) && selects(each, what_.fields);
    if (usable && (!partial_ || partial_->size < each.size)) partial_ = std::move(each);
  }
  if (!partial_ && what_.elsewhere && !what_.elsewhere->complete) {
    partial_ = what_.elsewhere;
    borrowed_ = true;
  }
  if (!partial_) return;
  claim(partial_->ref.id);
  plan_ = plan_resume(*partial_);
  bool const vouched_for = plan_ && !plan_->validator.empty();
  bool const safe = !borrowed_ || (vouched_for && selects(*partial_, what_.fields));
  if (!claims_.contains(partial_->ref.id) || !safe) {
    partial_.reset();
    plan_.reset();
  }
}

/// Asks until there is an answer that can be used, most often once; nothing when that settled it.
net::awaitable<result<std::optional<response>>> errand::get_answer() {
  bool conditions = true;
  for (;;) {
    auto answer = co_await ask(conditions);
    if (!answer) co_return answer.error();
    if (!may_store_) {  // a portal's word on nothing: neither on what is stored nor on what is begun
      partial_.reset();
      co_return std::optional{std::move(*answer)};
    }
    if (answer->status == 304 && conditions) {
      auto const done = co_await try_freshen(*answer);
      if (done) co_return std::optional<response>{};
      conditions = false;  // it spoke of something that we do not have
      continue;
    }
    if (!partial_) co_return std::optional{std::move(*answer)};

    answer_facts const facts{answer->status, answer->fields, answer->content_length};
    verdict_ = judge_answer(*partial_, plan_, facts, patience_ > 0);
    if (plan_ && (answer->status == 206 || verdict_.step == resume_step::ask_again))
      owner_.note_range(host_, verdict_.step != resume_step::ask_again);
    switch (verdict_.step) {
      case resume_step::ask_again:
        --patience_;
        continue;
      case resume_step::doubt:
        plan_ = borrowed_ ? std::nullopt : plan_resume(*partial_, true);
        continue;
      case resume_step::ask_whole:
        plan_.reset();
        continue;
      case resume_step::complete:
        co_await finish_partial();
        co_return std::optional<response>{};
      case resume_step::proceed: {
        auto const on = co_await go_on_behind(*answer);
        if (!on) co_return on.error();
        if (*on == overlap::equal) co_return std::optional{std::move(*answer)};
        plan_.reset();
        continue;
      }
      case resume_step::shadow:
      case resume_step::replace:
        if (borrowed_) partial_.reset();  // it stays where it is: that redirect may come back
        break;
      case resume_step::unrelated:
        partial_.reset();
        break;
    }
    co_return std::optional{std::move(*answer)};
  }
}

net::awaitable<result<response>> errand::ask(bool with_conditions) {
  auto const url = parse_url(what_.url);
  if (!url) co_return url.error();
  request out{.to = url->to, .target = url->target, .fields = what_.fields};
  if (plan_) add_resume_fields(out.fields, *plan_);
  sent_ = out.fields;
  if (with_conditions && !what_.held.empty()) {
    std::vector<store::header_block const*> validators;
    for (auto const& object : what_.held) validators.push_back(&object.headers);
    store::add_validators(out.fields, validators);
  }
  out.options.limits = owner_.settings_.limits;
  out.options.allow_address = what_.allow_address;
  if (!what_.meter) what_.meter = std::make_shared<traffic>();
  out.options.interim = [to = to_](unsigned status, store::header_block fields) -> net::awaitable<void> {
    to->pass_interim(status, store::end_to_end(fields));
    co_return;
  };
  out.options.meter = what_.meter;
  if (auto* const spending = owner_.settings_.spending) {
    expense on{.purpose = what_.purpose, .subscription = what_.subscription, .daily_limit = what_.daily_limit};
    on.url = what_.url;
    out.options.spends = spending->open(std::move(on));
  }
  host_ = url->to.host;
  requested_ = owner_.wall_.now();
  auto answer = co_await client_.open(std::move(out));
  responded_ = owner_.wall_.now();
  if (answer) {
    owner_.link_.succeeded(host_, url->to.tls);
    bool const proven = with_conditions && proves_itself(*answer);
    if (proven && owner_.link_.in_doubt()) owner_.link_.observed(link_state::up, host_ + " answered as only it can");
    may_store_ = (owner_.link_.may_store(host_, url->to.tls) || is_dated(*answer)) &&
                 !looks_like_portal(url->to, answer->status, answer->fields);
  } else {
    owner_.link_.failed(host_, answer.error());
  }
  co_return answer;
}

/// An answer that no captive portal could give, because it knows our validator.
bool errand::proves_itself(response const& answer) const {
  if (answer.status == 304) return !what_.held.empty();
  auto const tag = answer.fields.find("ETag");
  return answer.status == 206 && plan_ && tag && !plan_->validator.empty() && *tag == plan_->validator;
}

/// The first page of its date after a change of the link proves nothing yet, the second one of another host's may.
bool errand::is_dated(response const& answer) const {
  auto const date = answer.fields.find("Last-Modified");
  auto const when = date ? store::parse_http_date(*date, responded_) : std::nullopt;
  return when && answer.status == 200 && owner_.link_.heard(host_, *when);
}

/// Whether the 304 spoke of something that is stored; then it is good again.
net::awaitable<bool> errand::try_freshen(response const& answer) {
  for (auto& object : what_.held) {
    auto const meaning = store::interpret(answer.status, answer.fields, object.headers, what_.held.size() == 1);
    if (meaning != store::validation_result::freshen) continue;
    object.headers = store::update_stored(object.headers, answer.fields, responded_);
    object.requested = requested_;
    object.responded = responded_;
    auto task = [object](store::write_batch& b) {
      b.refresh(object.ref, object.headers, object.requested, object.responded);
    };
    co_await owner_.kept_.write(std::move(task), net::use_awaitable);
    forget();
    to_->freshen(object);
    co_return true;
  }
  co_return false;
}

/// Makes the partial ours when the answer does go on behind it.
net::awaitable<result<errand::overlap>> errand::go_on_behind(response& answer) {
  auto const same = co_await compare_overlap(answer);
  if (!same || *same == overlap::different || !borrowed_) co_return same;
  auto task = [ref = partial_->ref, url = what_.url](store::write_batch& b) { return b.move_partial(ref, url); };
  auto moved = co_await owner_.kept_.write(std::move(task), net::use_awaitable);
  if (!moved) co_return overlap::different;
  partial_ = std::move(*moved);
  borrowed_ = false;
  co_return overlap::equal;
}

/// The bytes from `verdict_.start` to where the stored ones end are read and compared.
net::awaitable<result<errand::overlap>> errand::compare_overlap(response& answer) const {
  auto const stored = owner_.kept_.open_body(*partial_);
  if (!stored) co_return overlap::different;
  std::string piece(64 << 10, '\0');
  std::string known(64 << 10, '\0');
  for (auto at = verdict_.start; at < partial_->size;) {
    auto const most = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), partial_->size - at));
    auto const got = co_await answer.read_some(std::span{piece}.first(most));
    if (!got) co_return got.error();
    auto const there = stored->read(at, std::span{known}.first(*got));
    if (*got == 0 || !there || std::string_view{piece}.substr(0, *got) != std::string_view{known}.substr(0, *got))
      co_return overlap::different;
    at += *got;
  }
  co_return overlap::equal;
}

/// The origin has no more than what is stored: only that fact was missing.
net::awaitable<void> errand::finish_partial() {
  store::object_head const head = *partial_;
  keeper_.emplace(owner_.kept_, head);
  keeper_->continue_behind(*partial_);
  to_->had(partial_->size);
  to_->continue_behind(*partial_);
  storing_ = true;
  total_ = partial_->size;
  arrived_head told{.status = 200, .fields = head.headers, .requested = head.requested, .responded = head.responded};
  told.content_length = total_;
  told.has_body = true;
  told.storing = true;
  told.sent = sent_;
  to_->announce(std::move(told));
  co_await complete({}, {});
}

}  // namespace cistern::sync
