#include "proxy/gateway_outlet.hpp"

#include "proxy/answer_head.hpp"
#include "sync/errc.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace cistern::proxy {
namespace {

namespace net = boost::asio;

constexpr std::size_t largest_rewritten = 16u << 20;
constexpr std::size_t quick = 64u << 10;  // rewritten on the network thread: a few milliseconds

/// https may just not be there; a certificate that does not hold is another matter, and is shown.
bool may_speak_http(boost::system::error_code trouble) {
  switch (sync::kind_of(trouble)) {
    case sync::errc::refused:
    case sync::errc::reset:
    case sync::errc::connect_timeout:
    case sync::errc::tls_failed:
    case sync::errc::truncated:
      return true;
    default:
      return false;
  }
}

/// Where long rewriting is done, so that it holds up nobody's network thread.
net::thread_pool& workers() {
  static net::thread_pool pool{1};
  return pool;
}

struct rewriting {
  gateway* through;
  gateway_visit const* visit;
  sync::head_view const* head;
  gateway::treatment what;
  std::string_view body;
};

net::awaitable<std::shared_ptr<std::string const>> rewrite(rewriting job) {
  co_return job.through->rewritten(*job.visit, *job.head, job.what, job.body);
}

}  // namespace

net::awaitable<bool> gateway_outlet::write(std::string_view first, std::string_view second) {
  auto const begun = co_await take(first);
  if (!begun) co_return false;
  co_return co_await take(second);
}

net::awaitable<bool> gateway_outlet::take(std::string_view bytes) {
  while (!bytes.empty()) {
    switch (state_) {
      case state::passing:
        co_return co_await peer_.write_directly(bytes);
      case state::collecting:
        co_return co_await collect(bytes);
      case state::done:
      case state::withheld:
        co_return true;
      case state::head:
        break;
    }
    // The proxy writes heads whole, but nothing here depends on it.
    auto const before = head_text_.size();
    head_text_ += bytes;
    auto const end = sync::find_head_end(head_text_, before > 4 ? before - 4 : 0);
    if (end == 0) co_return true;
    bytes.remove_prefix(end - before);
    head_text_.resize(end);
    auto const fine = co_await on_head();
    if (!fine) co_return false;
  }
  co_return true;
}

net::awaitable<bool> gateway_outlet::on_head() {
  if (sync::parse_response_head(head_text_, head_) != sync::framing_fault::none) co_return false;
  if (head_.status < 200 && head_.status != 101) {  // an interim answer: the real one follows
    // Early hints would have the browser ask the live web before the page's policy is there.
    bool const hints = head_.status != 100;
    auto const sent = hints || co_await peer_.write_directly(head_text_);
    head_text_.clear();
    co_return sent;
  }
  if (withhold_trouble && peer_.trouble && may_speak_http(peer_.trouble)) {
    state_ = state::withheld;
    co_return true;
  }
  what_ = gateway_.treatment_of(visit_, head_);
  bool const too_large = head_.content_length.value_or(0) > largest_rewritten;
  bool const empty = visit_.is_head || head_.content_length == 0;
  if (what_ == gateway::treatment::pass || too_large || empty) {
    state_ = state::passing;
    auto const head = gateway_.head_of(visit_, head_, what_, std::nullopt);
    co_return co_await peer_.write_directly(head);
  }
  state_ = state::collecting;
  co_return true;
}

net::awaitable<bool> gateway_outlet::collect(std::string_view bytes) {
  bool over = false;
  if (head_.chunked) {
    while (!bytes.empty() && !chunks_.done()) {
      auto const step = chunks_.next(bytes);
      if (step.fault != sync::framing_fault::none && step.fault != sync::framing_fault::incomplete) co_return false;
      body_ += step.data;
      bytes.remove_prefix(step.consumed);
    }
    over = chunks_.done();
  } else {
    body_ += bytes;
    over = head_.content_length && body_.size() >= *head_.content_length;
  }
  if (body_.size() > largest_rewritten) co_return false;  // said no length and does not end
  if (!over) co_return true;
  co_return co_await send_collected();
}

net::awaitable<bool> gateway_outlet::send_collected() {
  state_ = state::done;
  rewriting job{&gateway_, &visit_, &head_, what_, body_};
  std::shared_ptr<std::string const> made;
  if (body_.size() <= quick) {
    made = gateway_.rewritten(visit_, head_, what_, body_);
  } else {
    auto work = rewrite(job);
    made = co_await net::co_spawn(workers(), std::move(work), net::use_awaitable);
  }
  if (!made) {  // a coding that does not come off: as it came
    auto const head = gateway_.head_of(visit_, head_, gateway::treatment::pass, std::nullopt);
    auto const body = head_.chunked ? frame_chunk(body_) + frame_chunk({}) : std::move(body_);
    co_return co_await peer_.write_directly(head, body);
  }
  auto const head = gateway_.head_of(visit_, head_, what_, made->size());
  co_return co_await peer_.write_directly(head, *made);
}

net::awaitable<bool> gateway_outlet::finish() {
  if (state_ != state::collecting) co_return state_ != state::head;
  // Ends with the connection (HTTP/1.0), or was cut: then nobody may take it for whole.
  if (head_.chunked || head_.content_length) co_return false;
  co_return co_await send_collected();
}

}  // namespace cistern::proxy
