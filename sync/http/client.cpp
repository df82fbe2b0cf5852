#include "sync/http/client.hpp"

#include "sync/http/dial.hpp"
#include "sync/http/head_io.hpp"

#include <array>
#include <charconv>

namespace cistern::sync {
namespace {

namespace net = boost::asio;
using boost::system::error_code;
using steady = std::chrono::steady_clock;

bool idempotent(std::string_view method) {
  return method == "GET" || method == "HEAD" || method == "OPTIONS" || method == "PUT" || method == "DELETE" ||
         method == "TRACE";
}

/// Whether it may be sent again when its connection ends without an answer (RFC 9110 9.2.2). A body is gone by then.
bool repeatable(request const& what) { return !what.body && idempotent(what.method); }

std::string parent_key(parent_proxy const* parent) {
  if (parent == nullptr) return {};
  return parent->host + ":" + std::to_string(parent->port) + " " + parent->authorization;
}

steady::time_point after(std::chrono::milliseconds limit) {
  return limit.count() == 0 ? steady::time_point::max() : steady::now() + limit;
}

/// Less is left than an open connection lets its peer send unasked: one with a narrow window is better.
bool is_tight(std::shared_ptr<allowance> const& spends) { return spends && spends->left() < 64 * 1024; }

/// The first window is offered with the connection itself.
std::function<void(net::ip::tcp::socket&)> narrow_from_the_start(std::shared_ptr<allowance> spends) {
  if (!spends) return {};
  return [spends = std::move(spends)](net::ip::tcp::socket& socket) {
    receive_window{}.narrow(socket.native_handle(), spends->left());
  };
}

/// "5\r\n" + data + "\r\n" without copying the data: the room before and after it is reserved.
struct chunk_frame {
  static constexpr std::size_t before = 10, after = 2;
  static std::string_view wrap(std::span<char> room, std::size_t size) {
    std::array<char, before> digits{};
    auto const end = std::to_chars(digits.data(), digits.data() + before - 2, size, 16).ptr;
    auto const length = static_cast<std::size_t>(end - digits.data());
    auto const start = before - length - 2;
    std::copy(digits.data(), end, room.data() + start);
    room[before - 2] = '\r';
    room[before - 1] = '\n';
    room[before + size] = '\r';
    room[before + size + 1] = '\n';
    return {room.data() + start, length + 2 + size + after};
  }
};

/// Asks the source for bytes only when the previous ones are out.
net::awaitable<result<void>> send_body(connection& link, body_source const& body, std::chrono::milliseconds between) {
  std::vector<char> buffer(64 * 1024);
  std::span<char> const room{buffer};
  auto const inner = room.subspan(chunk_frame::before, room.size() - chunk_frame::before - chunk_frame::after);
  std::uint64_t left = body.length.value_or(0);
  while (!body.length || left != 0) {
    auto const wanted =
        body.length ? inner.first(static_cast<std::size_t>(std::min<std::uint64_t>(left, inner.size()))) : inner;
    auto const got = co_await body.read(wanted);
    if (!got) co_return got.error();
    if (*got == 0) break;
    left -= body.length ? *got : 0;
    auto const bytes = body.length ? std::string_view{inner.data(), *got} : chunk_frame::wrap(room, *got);
    deadline const until{after(between), errc::stalled};
    auto const sent = co_await link.write(bytes, until);
    if (!sent) co_return sent.error();
  }
  if (left != 0) co_return errc::truncated;  // the source promised more
  if (body.length) co_return result<void>{};
  deadline const until{after(between), errc::stalled};
  co_return co_await link.write("0\r\n\r\n", until);
}

}  // namespace

/// What one exchange carries through its phases.
struct http_client::attempt {
  request what;
  parent_proxy const* parent{};
  std::shared_ptr<traffic> meter;
  steady::time_point whole_until;
  bool reused{};    // the connection came from the pool
  bool answered{};  // at least a byte came back

  [[nodiscard]] deadline until(std::chrono::milliseconds limit, errc error) const {
    auto const at = after(limit);
    return at < whole_until ? deadline{at, error} : deadline{whole_until, errc::too_slow};
  }
  [[nodiscard]] std::chrono::milliseconds left(std::chrono::milliseconds limit) const {
    auto const at = std::min(after(limit), whole_until);
    if (at == steady::time_point::max()) return std::chrono::hours{24};
    return std::max(std::chrono::milliseconds{0}, std::chrono::ceil<std::chrono::milliseconds>(at - steady::now()));
  }
  [[nodiscard]] errc or_too_slow(errc error) const { return steady::now() >= whole_until ? errc::too_slow : error; }
};

http_client::http_client(net::any_io_executor const& executor, resolver& names, client_options options)
    : names_{names},
      options_{std::move(options)},
      pool_{std::make_shared<connection_pool>(executor, options_.pool)},
      total_{std::make_shared<traffic>()} {
  if (!options_.ca_file.empty()) tls();  // a file that cannot be read is told at the start
}

http_client::~http_client() { pool_->drop_idle(); }

std::shared_ptr<tls_context> http_client::tls() {
  if (!tls_) tls_ = std::make_shared<tls_context>(options_.ca_file);
  return tls_;
}

exchange_terms http_client::terms_of(attempt const& now) const {
  auto const& options = now.what.options;
  return {.meter = now.meter, .spends = options.spends, .keeps = options.in_a_hurry ? nullptr : options_.rate};
}

net::awaitable<result<response>> http_client::open(request what) {
  attempt now{};
  now.what = std::move(what);
  auto& options = now.what.options;
  now.parent = options_.parents.choose(now.what.to);
  now.meter = options.meter ? options.meter : std::make_shared<traffic>();
  now.whole_until = after(options.limits.whole);

  auto first = co_await try_once(now);
  if (first || !now.reused || now.answered || !repeatable(now.what)) co_return first;
  auto const kind = kind_of(first.error());
  if (kind != errc::reset && kind != errc::truncated) co_return first;
  options.fresh_connection = true;
  now.reused = false;
  co_return co_await try_once(now);
}

net::awaitable<result<response>> http_client::try_once(attempt& now) {
  auto const& limits = now.what.options.limits;
  auto const head = write_head(now.what, now.parent);
  if (!head) co_return head.error();

  pool_key key{.to = now.what.to, .parent = parent_key(now.parent)};
  // A parent's plain connection can carry requests to any origin.
  auto const rest = now.parent != nullptr && !now.what.to.tls ? pool_key{.to = {}, .parent = key.parent} : key;
  auto slot = co_await pool_->acquire(std::move(key), now.until(limits.queue, errc::too_busy));
  if (!slot) co_return slot.error();
  std::unique_ptr<connection> link;
  if (!now.what.options.fresh_connection && !is_tight(now.what.options.spends))
    link =
        pool_->take_idle(rest, now.parent == nullptr ? now.what.options.allow_address : nullptr, repeatable(now.what));
  if (link) {
    now.reused = true;
    link->set_terms(terms_of(now));
  } else {
    auto made = co_await connect(now, false);
    if (!made) co_return made.error();
    link = std::move(*made);
  }

  auto sent = co_await link->write(*head, now.until(limits.between_bytes, errc::stalled));
  if (sent && now.what.body) sent = co_await send_body(*link, now.what.body, limits.between_bytes);
  // A server may answer before it has read everything, and hang up: that answer counts.
  if (!sent && kind_of(sent.error()) != errc::reset) co_return sent.error();
  head_view view;
  auto const read = co_await read_head(
      *link, view, options_.max_head, now.until(limits.first_byte, errc::first_byte_timeout), now.what.options.interim);
  now.answered = !link->pending().empty();
  if (!read) co_return !sent ? sent.error() : read.error();
  if (view.status == 101) co_return errc::bad_framing;  // nobody asked for it

  response out;
  out.status = view.status;
  out.minor = view.minor;
  out.reason = view.reason;
  out.fields = store::header_block::from_wire(std::string{view.fields});
  out.meter_ = now.meter;
  out.rest_ = rest;
  out.remote_ = link->remote();
  out.between_bytes_ = limits.between_bytes;
  out.whole_until_ = now.whole_until;
  out.reusable_ = sent && view.persistent();
  auto const bodiless = now.what.method == "HEAD" || view.status == 204 || view.status == 304;
  if (bodiless) {
    out.framing_ = response::framing::none;
    if (now.what.method == "HEAD") out.content_length = view.content_length;  // that of the body a GET would bring
  } else if (view.chunked) {
    // What came with the head is looked at before anybody is told of a good answer.
    chunk_decoder start;
    if (start.next(link->pending().substr(view.size)).fault != framing_fault::none) co_return errc::bad_framing;
    out.framing_ = response::framing::chunked;
  } else if (view.content_length) {
    out.framing_ = *view.content_length == 0 ? response::framing::none : response::framing::length;
    out.left_ = *view.content_length;
    out.content_length = view.content_length;
  } else {
    out.framing_ = response::framing::until_close;
    out.reusable_ = false;
  }
  out.has_body = out.framing_ != response::framing::none;
  link->consume(view.size);
  out.link_ = std::move(link);
  out.slot_.emplace(std::move(*slot));
  if (!out.has_body) out.finish(completeness::whole);
  co_return std::move(out);
}

net::awaitable<result<std::unique_ptr<connection>>> http_client::connect(attempt& now, bool tunnel) {
  auto const& limits = now.what.options.limits;
  auto const& allow = now.what.options.allow_address;
  auto const& host = now.parent ? now.parent->host : now.what.to.host;
  auto const port = now.parent ? now.parent->port : now.what.to.port;
  if (now.parent != nullptr && allow) {
    error_code not_literal;
    auto const literal = net::ip::make_address(now.what.to.host, not_literal);
    if (!not_literal && !allow(literal)) co_return errc::forbidden_address;
  }
  auto found = co_await names_.resolve(host, now.left(limits.dns));
  if (!found)
    co_return kind_of(found.error()) == errc::dns_timeout ? now.or_too_slow(errc::dns_timeout) : kind_of(found.error());
  if (now.parent == nullptr && allow) std::erase_if(*found, [&](auto const& address) { return !allow(address); });
  if (found->empty()) co_return errc::forbidden_address;

  auto narrow = narrow_from_the_start(now.what.options.spends);
  auto socket = co_await dial(std::move(*found), port, now.left(limits.connect), std::chrono::milliseconds{250},
                              std::move(narrow));
  if (!socket)
    co_return kind_of(socket.error()) == errc::connect_timeout ? now.or_too_slow(errc::connect_timeout)
                                                               : kind_of(socket.error());
  auto link = std::make_unique<connection>(std::move(*socket), total_, terms_of(now));
  if (now.parent != nullptr && (tunnel || now.what.to.tls)) {
    auto const through = co_await connect_through(*link, now);
    if (!through) co_return through.error();
  }
  if (now.what.to.tls) {
    if (!link->pending().empty()) co_return errc::bad_framing;
    auto const secured = co_await link->start_tls(tls(), now.what.to, now.until(limits.tls, errc::connect_timeout));
    if (!secured) co_return secured.error();
  }
  co_return std::move(link);
}

net::awaitable<result<void>> http_client::connect_through(connection& link, attempt& now) {
  auto const& limits = now.what.options.limits;
  auto const to = authority_with_port(now.what.to);
  std::string head = "CONNECT " + to + " HTTP/1.1\r\nHost: " + to + "\r\n";
  if (!now.parent->authorization.empty()) head += "Proxy-Authorization: " + now.parent->authorization + "\r\n";
  head += "\r\n";
  auto const until = now.until(limits.connect, errc::connect_timeout);
  auto const sent = co_await link.write(head, until);
  if (!sent) co_return sent.error();
  head_view view;
  auto const read = co_await read_head(link, view, options_.max_head, until);
  if (!read) co_return read.error();
  if (view.status < 200 || view.status > 299) co_return errc::proxy_failed;
  link.consume(view.size);
  co_return result<void>{};
}

net::awaitable<result<tunnel>> http_client::connect_tunnel(origin to, request_options options) {
  attempt now{};
  now.what.to = std::move(to);
  now.what.options = std::move(options);
  now.parent = options_.parents.choose(now.what.to);
  now.meter = now.what.options.meter ? now.what.options.meter : std::make_shared<traffic>();
  now.whole_until = after(now.what.options.limits.whole);
  auto link = co_await connect(now, true);
  if (!link) co_return link.error();
  co_return tunnel{std::move(*link), now.meter};
}

}  // namespace cistern::sync
