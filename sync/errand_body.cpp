#include "store/hop_by_hop.hpp"
#include "store/partial_content.hpp"
#include "store/storability.hpp"
#include "store/validation.hpp"
#include "store/vary.hpp"
#include "sync/errand.hpp"
#include "sync/errc.hpp"
#include "sync/http/address_class.hpp"
#include "sync/log_url.hpp"

#include <spdlog/spdlog.h>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace cistern::sync {
namespace {

namespace net = boost::asio;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

constexpr std::size_t read_size = 64 << 10;
constexpr std::size_t small_block = 256 << 10;  // a body below it that comes at once is stored in one transaction
constexpr std::size_t large_block = 4 << 20;    // the faster the bytes come, the more go into one commit, up to this
constexpr auto short_pause = 200ms;             // between commits of a fast transfer

/// A commit costs a sync: many bytes share one, and none waits for long.
bool worth_a_commit(std::size_t bytes, steady::duration since, steady::duration longest_unsaved) {
  return bytes >= large_block || (bytes >= small_block && since > short_pause) ||
         (bytes > 0 && since > longest_unsaved);
}

/// The fields of the entity that a 206 continues.
store::header_block whole_fields(store::header_block const& stored, store::header_block const& received,
                                 std::optional<std::uint64_t> total, std::chrono::sys_seconds when) {
  if (total) return store::combined_fields(stored, received, *total, when);
  auto out = store::update_stored(stored, received, when);
  out.erase("Content-Range");
  return out;
}

}  // namespace

/// Decides what is stored, and tells the readers what is coming.
void errand::begin(response const& answer) {
  bool const goes_on = partial_ && verdict_.step == resume_step::proceed;
  total_ = goes_on ? verdict_.total : answer.content_length;
  unsigned const status = goes_on ? 200 : answer.status;
  auto const fields = goes_on ? whole_fields(partial_->headers, answer.fields, total_, responded_) : answer.fields;

  store::storing_request const asked{
      .method = "GET", .url = what_.url, .has_authorization = what_.has_authorization, .no_store = what_.no_store};
  auto const& caching = owner_.settings_.caching;
  auto const verdict = store::may_store(asked, status, fields, caching);
  bool const allowed = verdict == store::storability::stored || verdict == store::storability::offline_only;
  bool const replaces =
      what_.held.empty() || store::replaces_good_copy(static_cast<unsigned>(what_.held.front().status), status);
  storing_ =
      may_store_ && status != 206 && replaces && allowed && total_.value_or(0) <= what_.most.value_or(UINT64_MAX);
  if (goes_on) to_->continue_behind(*partial_);
  if (storing_) {
    store::object_head head{.url = what_.url, .status = static_cast<int>(status)};
    head.headers = store::fields_to_store(fields, responded_, caching);
    auto const names = store::vary_names(fields);
    if (!names.empty()) head.selecting.add(names, names == "*" ? "" : store::vary_key(names, sent_));
    if (goes_on) head.selecting = partial_->selecting;
    head.requested = requested_;
    head.responded = responded_;
    head.kind = what_.kind;
    head.keep = what_.keep;
    head.versions = what_.versions;
    head.expected_size = total_;
    keeper_.emplace(owner_.kept_, std::move(head));
    if (partial_) {
      to_->had(partial_->size);
      if (goes_on) keeper_->continue_behind(*partial_);
      if (verdict_.step == resume_step::shadow) keeper_->shadow(*partial_);
      if (verdict_.step == resume_step::replace) keeper_->replace(*partial_);
    }
  } else {
    forget();  // nobody else may have it
  }
  if (total_.value_or(0) <= what_.most.value_or(UINT64_MAX)) tell_head(answer, status, fields);
}

void errand::tell_head(response const& answer, unsigned status, store::header_block const& fields) {
  arrived_head head{
      .status = status, .fields = store::end_to_end(fields), .requested = requested_, .responded = responded_};
  store::add_missing_date(head.fields, responded_);
  head.content_length = total_;
  head.has_body = answer.has_body || to_->position() > 0;
  head.storing = storing_;
  head.sent = sent_;
  head.private_origin = answer.direct() ? !is_public(answer.remote()) : is_private_name(host_);
  to_->announce(std::move(head));
}

/// Whether the fetch is for nothing now: no reader, nobody who wants it to the end, and too far from complete.
bool errand::nobody_waits(std::size_t unsaved) {
  if (!storing_ || to_->readers() > 0) return false;
  if (what_.unwanted && *what_.unwanted) return true;
  if (what_.finish) return false;
  auto const have = keeper_->position() + unsaved;
  auto const little = std::max(owner_.settings_.finish_below, what_.finish_below);
  return !total_ || *total_ - std::min(*total_, have) > little;
}

net::awaitable<void> errand::pump(response answer) {
  // From here on it is not cancelled but abandoned: what has arrived is read to its end first.
  co_await net::this_coro::reset_cancellation_state(net::disable_cancellation());
  struct arrival {
    response*& of;
    ~arrival() { of = nullptr; }
  } const arrival{arriving_};
  arriving_ = &answer;
  // The last piece is held back until all is durable: whoever has seen the whole answer will find it again.
  std::string block;
  std::string last;
  std::uint64_t arrived = storing_ ? keeper_->position() : 0;
  auto unsaved_since = steady::now();
  for (;;) {
    if (block.empty()) unsaved_since = steady::now();
    bool const more = co_await answer.ready_before(unsaved_since + owner_.settings_.longest_unsaved);
    if (!more) {  // a peer that stops to think must not keep what it sent from the disk
      bool const goes_on = co_await save(block);
      if (!goes_on) co_return;
    }
    std::string piece(read_size, '\0');
    auto const got = co_await answer.read_some(piece);
    if (!got) co_return co_await break_off(got.error(), std::move(block), std::move(last));
    if (*got == 0) break;
    owner_.link_.carries();
    piece.resize(*got);
    arrived += *got;
    if (what_.most && arrived > *what_.most) {
      if (keeper_) co_await keeper_->drop();
      to_->fail(errc::body_too_large);
      co_return;
    }
    if (storing_) block += piece;
    to_->publish(std::exchange(last, std::move(piece)));
    bool const due = worth_a_commit(block.size(), steady::now() - unsaved_since, owner_.settings_.longest_unsaved);
    if (due) {
      bool const goes_on = co_await save(block);
      if (!goes_on) co_return;
    }
    if (nobody_waits(block.size())) {
      owner_.let_end(what_.url, to_);  // nobody joins from here on; but somebody may have just before
      if (to_->readers() == 0) co_return co_await break_off(errc::cancelled, std::move(block), {});
      forget();
    }
    auto const wanted = co_await to_->wait_for_room();
    if (!wanted) {
      to_->fail(errc::cancelled);
      co_return;
    }
  }
  co_await end(answer.complete(), answer.has_body, std::move(block), std::move(last));
}

/// It ends here for now. Who asks from now on waits until what came is durable and goes on behind it.
net::awaitable<void> errand::break_off(boost::system::error_code why, std::string block, std::string last) {
  owner_.let_end(what_.url, to_);
  co_await keep(block);
  release_claims();
  forget();
  to_->publish(std::move(last));
  to_->fail(why);
}

/// Keeps the block; false when it cannot be kept and nobody looks at it: no byte more then.
net::awaitable<bool> errand::save(std::string& block) {
  auto const refused = co_await keep(block);
  bool const for_nobody = refused && what_.purpose != store::job_class::person;
  if (for_nobody) to_->fail(refused);
  co_return !for_nobody;
}

/// Makes the block durable and empties it; why not, when the repository would not have it, and from then on nothing is.
net::awaitable<boost::system::error_code> errand::keep(std::string& block) {
  if (!storing_ || block.empty()) co_return boost::system::error_code{};
  auto const added = co_await keeper_->add(block);
  block.clear();
  if (!added) {
    spdlog::warn("fetch.not_stored url={} error={}", log_url(what_.url), log_value(added.error().message()));
    storing_ = false;
    to_->stop_storing();
    co_return added.error();
  }
  claim(keeper_->object().ref.id);
  to_->durable(keeper_->object(), keeper_->position());
  co_return boost::system::error_code{};
}

/// The message has come to its end; whether the entity has is another question.
net::awaitable<void> errand::end(completeness how, bool has_body, std::string block, std::string last) {
  bool whole = how == completeness::whole || !has_body;
  if (storing_ && verdict_.step == resume_step::proceed && partial_) {
    whole = total_ && keeper_->position() + block.size() == *total_;
  } else if (storing_ && how == completeness::by_close) {
    // A body that only the connection's end ended may have been cut: shown, but not kept as whole (pitfalls 5d.7),
    // unless it is short, or ended at the same byte twice.
    whole = !partial_ && keeper_->position() + block.size() < small_block;
    if (!whole) co_await keep(block);
    whole = whole || keeper_->ended_alike();
  }
  if (storing_ && whole) co_return co_await complete(std::move(block), std::move(last));
  co_await keep(block);
  release_claims();
  forget();
  to_->publish(std::move(last));
  if (whole || how == completeness::by_close) {
    to_->finish();
  } else {
    to_->fail(errc::truncated);  // a range that ended before the entity did
  }
}

net::awaitable<void> errand::complete(std::string block, std::string last) {
  std::vector<store::object_ref> superseded;
  for (auto const& each : owner_.unfinished(what_.url)) superseded.push_back(each.ref);
  auto stored = co_await keeper_->complete(block, what_.digest, std::move(superseded));
  forget();
  if (!stored) {
    spdlog::warn("fetch.not_stored url={} error={}", log_url(what_.url), log_value(stored.error().message()));
    bool const for_nobody = stored.error() == errc::wrong_digest || what_.purpose != store::job_class::person;
    if (for_nobody) co_return to_->fail(stored.error());
  }
  to_->publish(std::move(last));
  std::optional<store::stored_object> object;
  if (stored) object = std::move(*stored);
  to_->finish(std::move(object));
}

}  // namespace cistern::sync
