#pragma once

#include "sync/http/client.hpp"
#include "tests/support/fake_origin.hpp"
#include "tests/support/run_task.hpp"

#include <string>
#include <vector>

namespace client_test {

using namespace cistern::sync;
namespace net = boost::asio;

/// What a whole exchange came to.
struct fetched {
  boost::system::error_code error;
  unsigned status{};
  std::string wire_fields;
  std::string body;
  completeness complete{};
  std::uint64_t received{}, sent{};
};

inline net::awaitable<fetched> fetch_all(http_client& client, request what, std::size_t piece = 4096) {
  fetched out;
  auto const meter = std::make_shared<traffic>();
  what.options.meter = meter;
  auto answer = co_await client.open(std::move(what));
  if (answer) {
    out.status = answer->status;
    out.wire_fields = answer->fields.wire();
    std::vector<char> buffer(piece);
    for (;;) {
      auto const got = co_await answer->read_some(buffer);
      if (!got) out.error = got.error();
      if (!got || *got == 0) break;
      out.body.append(buffer.data(), *got);
    }
    out.complete = answer->complete();
  } else {
    out.error = answer.error();
  }
  out.received = meter->received;
  out.sent = meter->sent;
  co_return out;
}

inline request to(std::string const& url) {
  auto parts = parse_url(url).value();
  request out;
  out.to = std::move(parts.to);
  out.target = std::move(parts.target);
  return out;
}

/// A client with its thread's loop.
struct bench {
  explicit bench(client_options options = {}) : client{io.get_executor(), names, std::move(options)} {}
  net::io_context io{1};
  resolver names;
  http_client client;

  fetched get(std::string const& url) { return run(to(url)); }
  fetched run(request what, std::size_t piece = 4096) {
    return run_task(io, fetch_all(client, std::move(what), piece));
  }
};

}  // namespace client_test
