#include "sync/downloads.hpp"

#include "sync/errand.hpp"
#include "sync/errc.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <iterator>

namespace cistern::sync {
namespace {

namespace net = boost::asio;
constexpr unsigned most_patience = 4;        // ranges asked for again before the whole is taken
constexpr std::size_t most_rangeless = 256;  // hosts to remember

}  // namespace

downloads::downloads(store::repository& kept, network_link& link, clock const& wall, download_settings settings)
    : kept_{kept}, link_{link}, wall_{wall}, settings_{std::move(settings)} {}

downloads::started downloads::get(wish what, http_client& client, net::any_io_executor const& executor) {
  std::shared_ptr<transfer> to;
  {
    std::scoped_lock const lock{mutex_};
    if (what.sharable) {
      auto& known = under_way_[what.url];
      if (known) return {known, true, transfer::reader{known}};
      to = known = std::make_shared<transfer>(kept_);
    } else {
      to = std::make_shared<transfer>(kept_);
    }
    ++active_;
  }
  transfer::reader reader{to};
  auto const e = std::make_shared<errand>(*this, std::move(what), client, to);
  auto const ended = [this, e](std::exception_ptr thrown) {
    e->release_claims();
    if (thrown) e->to()->fail(errc::cancelled);
    forget(e->url(), e->to());
    std::scoped_lock const lock{mutex_};
    --active_;
  };
  net::co_spawn(executor, e->run(), net::bind_cancellation_slot(e->stop_slot(), ended));
  return {std::move(to), false, std::move(reader)};
}

std::size_t downloads::active() {
  std::scoped_lock const lock{mutex_};
  return active_;
}

std::shared_ptr<transfer> downloads::under_way(std::string const& url) {
  std::scoped_lock const lock{mutex_};
  auto const at = under_way_.find(url);
  return at == under_way_.end() ? nullptr : at->second;
}

void downloads::forget(std::string const& url, std::shared_ptr<transfer> const& from) {
  std::scoped_lock const lock{mutex_};
  auto const at = under_way_.find(url);
  if (at != under_way_.end() && at->second == from) under_way_.erase(at);
  auto const dying = ending_.find(url);
  if (dying != ending_.end() && dying->second == from) ending_.erase(dying);
}

void downloads::let_end(std::string const& url, std::shared_ptr<transfer> const& from) {
  std::scoped_lock const lock{mutex_};
  auto const at = under_way_.find(url);
  if (at == under_way_.end() || at->second != from) return;
  under_way_.erase(at);
  ending_[url] = from;
}

std::shared_ptr<transfer> downloads::ending(std::string const& url) {
  std::scoped_lock const lock{mutex_};
  auto const at = ending_.find(url);
  return at == ending_.end() ? nullptr : at->second;
}

void downloads::abandon(http_client const& client) {
  std::vector<errand*> over;  // none of them can go meanwhile: this is their thread
  {
    std::scoped_lock const lock{mutex_};
    std::ranges::copy_if(errands_, std::back_inserter(over), [&](errand* each) { return each->uses(client); });
  }
  for (auto* const each : over) each->abandon();
}

void downloads::begins(errand* each) {
  std::scoped_lock const lock{mutex_};
  errands_.insert(each);
}

void downloads::is_over(errand* each) {
  std::scoped_lock const lock{mutex_};
  errands_.erase(each);
}

bool downloads::claim(std::uint64_t object) {
  std::scoped_lock const lock{mutex_};
  return claimed_.insert(object).second;
}

void downloads::release(std::uint64_t object) {
  std::scoped_lock const lock{mutex_};
  claimed_.erase(object);
}

std::vector<store::stored_object> downloads::unfinished(std::string const& url) {
  auto all = kept_.versions(url);
  if (!all) return {};
  std::scoped_lock const lock{mutex_};
  std::erase_if(*all, [&](auto const& each) { return each.complete || claimed_.contains(each.ref.id); });
  return std::move(*all);
}

unsigned downloads::patience_with(std::string const& host) {
  std::scoped_lock const lock{mutex_};
  auto const at = rangeless_.find(host);
  return at == rangeless_.end() || at->second < most_patience ? most_patience : 0;
}

void downloads::note_range(std::string const& host, bool honoured) {
  std::scoped_lock const lock{mutex_};
  if (honoured) {
    rangeless_.erase(host);
  } else if (rangeless_.size() < most_rangeless || rangeless_.contains(host)) {
    ++rangeless_[host];
  }
}

}  // namespace cistern::sync
