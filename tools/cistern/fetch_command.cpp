#include "tools/cistern/fetch_command.hpp"

#include "store/url.hpp"
#include "sync/decode.hpp"
#include "tools/cistern/config_value.hpp"
#include "tools/cistern/fetch_desk.hpp"
#include "tools/cistern/progress.hpp"
#include "tools/cistern/repository_command.hpp"

#include <spdlog/spdlog.h>

#include <csignal>
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <thread>

namespace cistern::tools {
namespace {

using steady = std::chrono::steady_clock;
using phase = sync::fetcher::phase;

volatile std::sig_atomic_t interrupted = 0;

struct fetch_order {
  std::vector<std::string> urls{};
  std::string output{};       // "-" is standard output; empty: none
  std::string timeout{};      // empty: for ever
  std::string over_budget{};  // a size: may be spent whatever the budget says
};

/// A file that appears whole or not at all.
class output_file {
public:
  explicit output_file(std::string name)
      : name_{std::move(name)}, part_{name_ + ".part"}, file_{name_ == "-" ? stdout : std::fopen(part_.c_str(), "wb")} {
    if (file_ == nullptr) throw std::runtime_error{part_ + " cannot be written; choose another place for --output"};
  }
  ~output_file() {
    if (file_ == nullptr || file_ == stdout) return;
    std::fclose(file_);
    std::remove(part_.c_str());
  }
  output_file(output_file const&) = delete;
  output_file& operator=(output_file const&) = delete;

  void write(std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail();
  }
  void finish() {
    if (std::fflush(file_) != 0) fail();
    if (file_ == stdout) return;
    auto* const closing = std::exchange(file_, nullptr);
    if (std::fclose(closing) != 0 || std::rename(part_.c_str(), name_.c_str()) != 0) fail();
  }

private:
  [[noreturn]] void fail() const { throw std::runtime_error{name_ + " cannot be written; is the disk full?"}; }
  std::string name_;
  std::string part_;
  std::FILE* file_;
};

/// The file itself: a content coding is the transfer's business and is taken off.
void write_out(store::repository& kept, std::string const& url, std::string const& to) {
  auto const found = kept.find(url);
  if (!found || !*found) throw std::runtime_error{url + " was fetched and is gone again; is store.quota too small?"};
  auto const reader = kept.open_body(**found);
  if (!reader) throw std::runtime_error{url + ": " + reader.error().message()};
  output_file out{to};
  auto const coding = sync::coding_of((*found)->headers.find("Content-Encoding").value_or(""));
  sync::decoder plain{coding.value_or(sync::coding::identity), {.max_size = UINT64_MAX, .free_size = UINT64_MAX}};
  std::string part(256 << 10, '\0');
  std::string clear(256 << 10, '\0');
  for (std::uint64_t at = 0; at < (*found)->size;) {
    auto const got = reader->read(at, part);
    if (!got) throw std::runtime_error{url + ": " + got.error().message()};
    at += *got;
    std::string_view rest{part.data(), *got};
    for (std::size_t produced = clear.size(); !rest.empty() || produced == clear.size();) {
      auto const step = plain.decode(rest, clear);
      if (!step) throw std::runtime_error{url + ": " + step.error().message()};
      rest.remove_prefix(step->consumed);
      produced = step->produced;
      out.write(std::string_view{clear}.substr(0, produced));
      if (step->done) rest = {};
    }
  }
  out.finish();
}

std::string seconds_of(std::chrono::milliseconds time) { return std::to_string((time.count() + 999) / 1000) + " s"; }

/// Follows one file to its end. Plain lines tell of every tenth, and of waits that a person would wonder about.
class follower {
public:
  follower(fetch_desk& desk, std::string url, bool quiet) : desk_{desk}, url_{std::move(url)}, quiet_{quiet} {}

  /// Why it failed; empty when it is complete.
  std::string run(steady::time_point until) {
    desk_.want(url_);
    for (;;) {
      auto const state = desk_.look(url_);
      if (state.total && !quiet_) bar_.tell(state.have, *state.total);
      if (state.now == phase::complete) return finished(state);
      if (state.now == phase::failed) return state.why.empty() ? "the daemon does not know of it" : state.why;
      if (state.now == phase::waiting) tell_wait(state);
      if (interrupted != 0 || steady::now() >= until) {
        desk_.leave(url_);
        return std::string{interrupted != 0 ? "stopped" : "not complete in time"} + "; " + rounded_size(state.have) +
               " are kept, fetch it again to go on";
      }
      std::this_thread::sleep_for(desk_.pace());
    }
  }
  [[nodiscard]] std::string const& final_url() const { return final_url_; }

private:
  std::string finished(sync::fetcher::state const& state) {
    bar_.finish();
    final_url_ = state.final_url.empty() ? url_ : state.final_url;
    if (!quiet_) std::cout << url_ << ": " << rounded_size(state.have) << std::endl;
    return {};
  }
  void tell_wait(sync::fetcher::state const& state) {
    if (quiet_ || state.next_try < std::chrono::seconds{2} || steady::now() < next_word_) return;
    next_word_ = steady::now() + state.next_try;
    bar_.finish();
    std::cout << url_ << ": " << state.why << "; next try in " << seconds_of(state.next_try) << std::endl;
  }

  fetch_desk& desk_;
  std::string url_;
  bool quiet_;
  std::string final_url_{};
  steady::time_point next_word_{};
  progress bar_{url_};
};

int fetch_all(config const& settings, fetch_order const& order, std::uint64_t over_budget, steady::time_point until) {
  fetch_desk desk{settings};
  int result = done;
  for (auto const& url : order.urls) {
    if (over_budget > 0) desk.insist(url, over_budget);
    follower one{desk, url, order.output == "-"};
    auto const why = one.run(until);
    if (!why.empty()) {
      std::cerr << "cistern: " << url << ": " << why << '\n';
      result = failed;
      if (interrupted != 0) break;
    } else if (!order.output.empty()) {
      write_out(desk.repository(), one.final_url(), order.output);
    }
  }
  return result;
}

std::vector<std::string> normalised(std::vector<std::string> const& urls) {
  std::vector<std::string> out;
  for (auto const& url : urls) {
    auto normal = store::normalise_url(url);
    if (!normal) throw CLI::ValidationError{"URL", "\"" + url + "\" is no http or https address"};
    out.push_back(std::move(*normal));
  }
  return out;
}

}  // namespace

void add_fetch_command(CLI::App& program, int& exit_code) {
  auto* const command =
      program.add_subcommand("fetch", "fetch files into the repository now, resuming until they are complete");
  auto const order = std::make_shared<fetch_order>();
  auto const sources = add_repository_options(*command);
  command->add_option("URL", order->urls, "http or https addresses")->required();
  command->add_option("--output", order->output, "also write the file there; - is standard output")->type_name("FILE");
  command->add_option("--timeout", order->timeout, "give up after this long, e.g. 2h; else never")->type_name("TIME");
  command->add_option("--over-budget", order->over_budget, "spend up to so much, e.g. 20MB, whatever the budget says")
      ->type_name("SIZE");
  command->callback([=, &exit_code] {
    order->urls = normalised(order->urls);
    auto const extra = parse_size(order->over_budget.empty() ? "0" : order->over_budget);
    if (!extra) throw CLI::ValidationError{"--over-budget", "must be a size such as 20MB"};
    if (!order->output.empty() && order->urls.size() > 1)
      throw CLI::ValidationError{"--output", "is for one URL; fetch the others without it"};
    auto until = steady::time_point::max();
    if (!order->timeout.empty()) {
      auto const limit = parse_duration(order->timeout);
      if (!limit) throw CLI::ValidationError{"--timeout", "must be a duration such as 15m"};
      until = steady::now() + *limit;
    }
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGINT, [](int) { interrupted = 1; });
    std::signal(SIGTERM, [](int) { interrupted = 1; });
    spdlog::set_level(spdlog::level::off);  // what matters is told here
    exit_code = fetch_all(load_config(*sources, process_environment()).settings, *order, extra->count, until);
  });
}

}  // namespace cistern::tools
