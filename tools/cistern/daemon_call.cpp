#include "tools/cistern/daemon_call.hpp"

#include "proxy/listen_address.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

namespace cistern::tools {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

std::optional<daemon_answer> call_daemon(std::string_view address, std::string_view method, std::string_view target,
                                         std::string_view body) {
  auto endpoint = proxy::parse_listen_address(address);
  if (!endpoint) return std::nullopt;
  if (endpoint->address().is_unspecified()) endpoint->address(net::ip::address_v4::loopback());
  net::io_context io;
  beast::tcp_stream stream{io};
  beast::error_code error;
  stream.connect(*endpoint, error);
  if (error) return std::nullopt;

  http::request<http::string_body> request{http::string_to_verb(std::string{method}), std::string{target}, 11};
  request.set(http::field::host, "localhost");
  request.set("X-Cistern", "1");
  request.set(http::field::connection, "close");
  request.body() = body;
  request.prepare_payload();
  http::write(stream, request, error);
  if (error) return std::nullopt;
  beast::flat_buffer buffer;
  http::response<http::string_body> response;
  http::read(stream, buffer, response, error);
  if (error) return std::nullopt;
  return daemon_answer{static_cast<int>(response.result_int()), response.body()};
}

}  // namespace cistern::tools
