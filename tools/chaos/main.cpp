#include "tools/chaos/chaos_link.hpp"

#include <CLI/CLI.hpp>

#include <csignal>
#include <iostream>
#include <thread>

/// chaos-link: puts a bad link in front of anything. See docs/chaos-link.md.

namespace {

using namespace cistern::chaos;
volatile std::sig_atomic_t stopped = 0;

boost::asio::ip::tcp::endpoint endpoint_of(std::string const& text) {
  auto const colon = text.rfind(':');
  if (colon == std::string::npos) throw CLI::ValidationError{"ADDRESS:PORT", "\"" + text + "\" has no port"};
  boost::system::error_code error;
  auto const address = boost::asio::ip::make_address(text.substr(0, colon), error);
  if (error) throw CLI::ValidationError{"ADDRESS:PORT", "\"" + text + "\" is no address"};
  return {address, static_cast<std::uint16_t>(std::strtoul(text.c_str() + colon + 1, nullptr, 10))};
}

destination destination_of(std::string const& text) {
  if (text.empty()) return {};
  auto const colon = text.rfind(':');
  if (colon == std::string::npos) throw CLI::ValidationError{"--target", "must be HOST:PORT"};
  return {text.substr(0, colon), static_cast<std::uint16_t>(std::strtoul(text.c_str() + colon + 1, nullptr, 10))};
}

std::uint64_t bytes_or_fail(std::string const& option, std::string const& text) {
  if (text.empty()) return 0;
  auto const bytes = parse_bytes(text);
  if (bytes == 0) throw CLI::ValidationError{option, "must be a size such as 40kB or 2MB"};
  return bytes;
}

std::chrono::milliseconds time_or_fail(std::string const& option, std::string const& text) {
  auto const time = parse_time(text);
  if (time.count() < 0) throw CLI::ValidationError{option, "must be a time such as 300ms or 20s"};
  return time;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program{"A TCP proxy that behaves like a bad link: slow, cut, stalled, down, or behind a login page."};
  std::string listen = "127.0.0.1:0", target, rate, delay = "0ms", cut, stall, stall_time = "30s", windows;
  profile how;
  program.add_option("--listen", listen, "where to listen; port 0 is any")->type_name("ADDRESS:PORT");
  program.add_option("--target", target, "where everything goes; without it, an HTTP proxy")->type_name("HOST:PORT");
  program.add_option("--rate", rate, "bytes a second, e.g. 40kB")->type_name("SIZE");
  program.add_option("--delay", delay, "before each turn of a conversation, e.g. 300ms")->type_name("TIME");
  program.add_option("--cut", cut, "mean of the bytes between two broken connections, e.g. 2MB")->type_name("SIZE");
  program.add_option("--stall", stall, "mean of the bytes between two stalls")->type_name("SIZE");
  program.add_option("--stall-time", stall_time, "how long nothing comes then")->type_name("TIME");
  program.add_option("--windows", windows, "\"up 20s, down 40s, ...\", over and over");
  program.add_flag("--portal", how.portal, "a login page answers every HTTP request");
  program.add_option("--seed", how.seed, "the same seed breaks the same bytes in the same places");
  try {
    program.parse(argc, argv);
    how.rate = bytes_or_fail("--rate", rate);
    how.cut_every = bytes_or_fail("--cut", cut);
    how.stall_every = bytes_or_fail("--stall", stall);
    how.delay = time_or_fail("--delay", delay);
    how.stall = time_or_fail("--stall-time", stall_time);
    if (!windows.empty() && !parse_windows(windows, how.windows))
      throw CLI::ValidationError{"--windows", "must be like \"up 20s, down 40s\""};
    chaos_link const link{how, destination_of(target), endpoint_of(listen)};
    std::signal(SIGINT, [](int) { stopped = 1; });
    std::signal(SIGTERM, [](int) { stopped = 1; });
    std::cout << "chaos-link is at 127.0.0.1:" << link.port() << std::endl;
    while (stopped == 0) std::this_thread::sleep_for(std::chrono::milliseconds{100});
    auto const& n = link.counted();
    std::cout << "connections " << n.connections << ", refused " << n.refused << ", cuts " << n.cuts << ", stalls "
              << n.stalls << ", bytes up " << n.up << ", bytes down " << n.down << std::endl;
  } catch (CLI::ParseError const& e) {
    if (e.get_exit_code() == 0) return program.exit(e);
    std::cerr << "chaos-link: " << e.what() << " (see chaos-link --help)\n";
    return 2;
  } catch (std::exception const& e) {
    std::cerr << "chaos-link: " << e.what() << '\n';
    return 1;
  }
  return 0;
}
