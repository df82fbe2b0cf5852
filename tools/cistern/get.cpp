#include "store/url.hpp"
#include "tools/cistern/guarded.hpp"
#include "tools/cistern/repository_command.hpp"

#include <boost/beast/http/status.hpp>

#include <cstdio>
#include <iostream>
#include <stdexcept>

namespace cistern::tools {
namespace {

namespace http = boost::beast::http;

void print(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size())
    throw std::runtime_error{"the output cannot be written; is the disk full?"};
}

void print_head(store::stored_object const& object) {
  print("HTTP/1.1 " + std::to_string(object.status) + ' ');
  print(std::string{http::obsolete_reason(http::int_to_status(static_cast<unsigned>(object.status)))});
  print("\r\n" + object.headers.wire() + "\r\n");
}

void print_body(store::repository& repository, store::stored_object const& object) {
  auto const reader = repository.open_body(object);
  if (!reader) throw std::runtime_error{reader.error().message()};
  std::string part(256u << 10, '\0');
  for (std::uint64_t at = 0; at < object.size;) {
    auto const got = reader->read(at, part);
    if (!got) throw std::runtime_error{object.url + ": " + got.error().message()};
    print(std::string_view{part}.substr(0, *got));
    at += *got;
  }
  if (std::fflush(stdout) != 0) throw std::runtime_error{"the output cannot be written; is the disk full?"};
}

/// Reads beside a running daemon: no lock, no write.
int get(store::repository_options options, std::string const& url, bool headers) {
  options.read_only = true;
  store::repository repository{options};
  auto const found = repository.find(url);
  if (!found) throw std::runtime_error{url + ": " + found.error().message()};
  if (!*found) {
    std::cerr << "cistern: " << url << " is not in the repository; fetch it while the link is up\n";
    return failed;
  }
  if (headers) print_head(**found);
  print_body(repository, **found);
  return done;
}

}  // namespace

void add_get_command(CLI::App& program, int& exit_code) {
  auto* const command = program.add_subcommand("get", "print what is stored of a URL, byte for byte");
  auto const url = std::make_shared<std::string>();
  auto const headers = std::make_shared<bool>(false);
  auto const sources = add_repository_options(*command);
  command->add_option("URL", *url, "an http or https address")->required();
  command->add_flag("--headers", *headers, "print the status line and the headers first");
  command->callback([=, &exit_code] {
    auto const normal = store::normalise_url(*url);
    if (!normal) throw CLI::ValidationError{"URL", "\"" + *url + "\" is no http or https address"};
    auto const options = repository_options_from(*sources);
    auto const end = run_guarded([&] { return get(options, *normal, *headers); });
    exit_code = report_end(end, options.path.string());
  });
}

}  // namespace cistern::tools
