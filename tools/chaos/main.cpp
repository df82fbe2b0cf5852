#include "tools/chaos/chaos_link.hpp"
#include "tools/cistern/config_value.hpp"

#include <CLI/CLI.hpp>

#include <csignal>
#include <iostream>

/// chaos-link: puts a bad link in front of anything. See docs/chaos-link.md.

namespace {

using namespace cistern::chaos;
using cistern::tools::parse_duration;
using cistern::tools::parse_size;

/// The options as they were written.
struct words {
  std::string listen = "127.0.0.1:0";
  std::string target, rate, delay, cut, stall, stall_time = "30s", windows;
};

[[noreturn]] void complain(std::string const& option, std::string const& about) {
  throw CLI::ValidationError{option + " must be " + about};
}

std::uint64_t bytes_in(std::string const& option, std::string const& text) {
  if (text.empty()) return 0;
  auto const bytes = parse_size(text);
  if (!bytes || bytes->count == 0) complain(option, "a size such as 40kB or 2MB");
  return bytes->count;
}

std::chrono::milliseconds time_in(std::string const& option, std::string const& text) {
  if (text.empty()) return {};
  auto const time = parse_duration(text);
  if (!time) complain(option, "a time such as 300ms or 20s");
  return *time;
}

boost::asio::ip::tcp::endpoint endpoint_in(std::string const& text) {
  auto const place = parse_host_port(text);
  boost::system::error_code error;
  auto const address = boost::asio::ip::make_address(place ? place->host : "", error);
  if (error) complain("--listen", "ADDRESS:PORT such as 127.0.0.1:9000");
  return {address, place->port};
}

destination destination_in(std::string const& text, bool proxy) {
  if (text.empty()) return {};
  auto const place = parse_host_port(text);
  if (!place || place->port == 0) complain("--target", "HOST:PORT such as example.org:80");
  return {place->host, place->port, proxy};
}

profile profile_in(words const& said, profile how) {
  how.rate = bytes_in("--rate", said.rate);
  how.cut_every = bytes_in("--cut", said.cut);
  how.stall_every = bytes_in("--stall", said.stall);
  how.delay = time_in("--delay", said.delay);
  how.stall = time_in("--stall-time", said.stall_time);
  if (said.windows.empty()) return how;
  auto windows = parse_windows(said.windows);
  if (!windows) complain("--windows", "like \"up 20s, down 40s\" or \"up ~2m, down ~8m\"");
  how.windows = std::move(*windows);
  return how;
}

void run(profile const& how, destination const& to, boost::asio::ip::tcp::endpoint const& listen) {
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);  // before the link's thread begins, which inherits it
  chaos_link const link{how, to, listen};
  std::cout << "chaos-link is at " << boost::asio::ip::tcp::endpoint{listen.address(), link.port()} << std::endl;
  int which = 0;
  sigwait(&ends, &which);
  auto const& n = link.counted();
  std::cout << "connections " << n.connections << ", refused " << n.refused << ", cuts " << n.cuts << ", stalls "
            << n.stalls << ", outages " << n.outages << ", bytes up " << n.up << ", bytes down " << n.down << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program{"A TCP proxy that behaves like a bad link: slow, cut, stalled, down, or behind a login page."};
  words said;
  profile how;
  bool proxy = false;
  program.add_option("--listen", said.listen, "where to listen; port 0 is any")->type_name("ADDRESS:PORT");
  program.add_option("--target", said.target, "where everything goes; without it, an HTTP proxy")
      ->type_name("HOST:PORT");
  program.add_flag("--proxy", proxy, "an HTTP proxy that sends every request to --target, whatever host it names");
  program.add_option("--rate", said.rate, "bytes a second, e.g. 40kB")->type_name("SIZE");
  program.add_option("--delay", said.delay, "before each turn of a conversation, e.g. 300ms")->type_name("TIME");
  program.add_option("--cut", said.cut, "mean of the bytes between two broken connections, e.g. 2MB")
      ->type_name("SIZE");
  program.add_option("--stall", said.stall, "mean of the bytes between two stalls")->type_name("SIZE");
  program.add_option("--stall-time", said.stall_time, "how long nothing comes then")->type_name("TIME");
  program.add_option("--windows", said.windows, "\"up 20s, down 40s, ...\", over and over; ~20s is a mean");
  program.add_flag("--silent", how.silent, "while down nothing is said, instead of breaking connections");
  program.add_flag("--portal", how.portal, "a login page answers every HTTP request");
  program.add_option("--seed", how.seed, "the same seed breaks the same bytes in the same places");
  try {
    program.parse(argc, argv);
    if (proxy && said.target.empty()) throw CLI::ValidationError{"--proxy needs --target (without both it is a proxy)"};
    run(profile_in(said, how), destination_in(said.target, proxy), endpoint_in(said.listen));
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
