/// Feeds that mean harm, as a person would notice it: the program is given each one under a limit on the time it may
/// compute and on its address space, and must end with a feed or a refusal, having read no file and called nobody.

#include "tests/support/child_process.hpp"
#include "tests/support/temp_dir.hpp"

#include <zlib.h>
#include <catch2/catch.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <string_view>

using namespace cistern::tests;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
std::vector<std::string> const bounds{"/usr/bin/prlimit",
                                      "--cpu=30"};  // their shadow memory needs all the space there is
#else
std::vector<std::string> const bounds{"/usr/bin/prlimit", "--cpu=2", "--as=268435456"};
#endif

std::string repeated(std::string_view text, std::size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  while (count-- > 0) out += text;
  return out;
}

std::string rss(std::string_view inside) {
  return "<rss version='2.0' xmlns:media='http://search.yahoo.com/mrss/'><channel><title>t</title>" +
         std::string{inside} + "</channel></rss>";
}
std::string with_text(std::string_view text) {
  return rss("<item><guid>g</guid><description>" + std::string{text} + "</description></item>");
}
std::string atom(std::string_view inside) {
  return "<feed xmlns='http://www.w3.org/2005/Atom'>" + std::string{inside} + "</feed>";
}
std::string json(std::string_view inside) {
  return R"({"version":"https://jsonfeed.org/version/1","items":[)" + std::string{inside};
}

std::string packed(std::string_view plain) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 1, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, plain.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

finished parse(std::string_view bytes, std::vector<std::string> const& options = {}) {
  temp_dir const folder;
  auto command = bounds;
  command.insert(command.end(), {CISTERN_PROGRAM, "feed", "parse", folder.write("feed", bytes).string()});
  command.insert(command.end(), options.begin(), options.end());
  return run(std::move(command));
}

bool is_bounded(finished const& done) {
  bool const fed = done.exit_code == 0 && done.out.starts_with('{') && done.out.ends_with("}\n");
  bool const refused = done.exit_code == 1 && done.out.empty();
  return (fed || refused) && done.err.find('\n') == done.err.rfind('\n');
}

/// A door nobody must knock at.
class silent_server {
public:
  silent_server() : socket_{::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)} {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket_, any, size) != 0 || ::listen(socket_, 8) != 0 || ::getsockname(socket_, any, &size) != 0)
      throw std::runtime_error{"no server on loopback"};
    port_ = ntohs(address.sin_port);
  }
  ~silent_server() { ::close(socket_); }
  silent_server(silent_server const&) = delete;
  silent_server& operator=(silent_server const&) = delete;

  std::string url(std::string_view path) const {
    return "http://127.0.0.1:" + std::to_string(port_) + '/' + std::string{path};
  }
  bool was_called() const {
    auto const caller = ::accept(socket_, nullptr, nullptr);
    if (caller >= 0) ::close(caller);
    return caller >= 0;
  }

private:
  int socket_;
  int port_ = 0;
};

}  // namespace

TEST_CASE("entities that multiply end in a bounded feed", "[stitch]") {
  std::string laughs = "<!DOCTYPE rss [<!ENTITY l0 'lol'>";
  for (int i = 1; i < 30; ++i)
    laughs += "<!ENTITY l" + std::to_string(i) + " '" + repeated("&l" + std::to_string(i - 1) + ";", 10) + "'>";
  CHECK(is_bounded(parse(laughs + "]>" + with_text("&l29;"))));
  CHECK(is_bounded(parse(laughs + "]>" + rss("<item><enclosure url='http://a.test/&l9;'/></item>"))));
  auto const long_one = "<!DOCTYPE rss [<!ENTITY a '" + std::string(16'000, 'x') + "'>]>";
  CHECK(is_bounded(parse(long_one + with_text(repeated("&a;", 1'000'000)))));
  CHECK(is_bounded(parse("<!DOCTYPE rss [<!ENTITY a '&b;&b;'><!ENTITY b '&a;&a;'>]>" + with_text("&a;"))));
  CHECK(is_bounded(
      parse("<!DOCTYPE rss [<!ENTITY a '<item><title>x</title></item>'>]>" + rss(repeated("&a;", 300'000)))));
  CHECK(is_bounded(parse("<!DOCTYPE rss [" + repeated("<!ENTITY a 'b'>", 1'000'000))));
}

TEST_CASE("nesting without end ends", "[stitch]") {
  for (auto const* name : {"b", "div", "item", "table"}) {
    auto const tag = "<" + std::string{name} + ">";
    CHECK(is_bounded(parse(with_text(repeated(tag, 100'000) + "x"))));
    CHECK(is_bounded(parse(with_text("<![CDATA[" + repeated(tag, 100'000) + "]]>"), {"--sanitize"})));
  }
  CHECK(is_bounded(parse("<rss>" + repeated("<x>", 1'000'000))));
  CHECK(is_bounded(parse(atom(repeated("<entry>", 300'000)))));
  CHECK(is_bounded(parse(atom("<entry>" + repeated("<x xml:base='a/'>", 100'000)))));
  CHECK(is_bounded(parse(json(repeated("[", 5'000'000)))));
  CHECK(is_bounded(parse(json(repeated("{\"a\":", 1'000'000)))));
}

TEST_CASE("200 MB in one piece are not kept", "[stitch]") {
  CHECK(is_bounded(parse(with_text(std::string(200U << 20, 'x')))));
  std::string const huge(70U << 20, 'x');  // also more than a feed may have
  CHECK(is_bounded(parse(rss("<title>" + huge + "</title>"))));
  CHECK(is_bounded(parse(with_text("<![CDATA[" + huge + "]]>"))));
  CHECK(is_bounded(parse(rss("<item><enclosure url='" + huge + "'/></item>"))));
  CHECK(is_bounded(parse("<!--" + huge + "-->" + rss(""))));
  CHECK(is_bounded(parse("<" + huge)));
  CHECK(is_bounded(parse(json("{\"content_html\":\"" + huge + "\"}]}"))));
}

TEST_CASE("what would cost the square of its length costs no more than its length", "[stitch]") {
  CHECK(is_bounded(parse(with_text(repeated("<a b='\"' c=\"", 2'000'000)))));  // tags whose quotes never close
  CHECK(is_bounded(parse(with_text(std::string(30U << 20, '<')))));
  CHECK(is_bounded(parse(with_text(std::string(30U << 20, '&')))));
  CHECK(is_bounded(parse(with_text(repeated("</a>", 4'000'000)))));
  CHECK(is_bounded(parse(rss("<item><link>http://a.test/" + repeated("../", 1'000'000) + "</link></item>"))));
  CHECK(is_bounded(parse(rss("<item>" + repeated("<category>c</category>", 500'000) + "</item>"))));
  CHECK(is_bounded(parse(rss("<item><author>" + repeated("a@b,", 1'000'000) + "</author></item>"))));
  CHECK(is_bounded(parse("<rss>" + repeated("<a xmlns:p='u'>", 100'000))));
  std::string names, prefixes, attributes;
  for (int i = 0; i < 500'000; ++i) {
    auto const number = std::to_string(i);
    names += "<n" + number + "/>";
    prefixes += "<p" + number + ":a/>";
    attributes += "<a b" + number + "=''/>";
  }
  for (auto const* inside : {&names, &prefixes, &attributes}) {
    auto const done = parse(rss("<item><guid>g</guid></item><item>" + *inside + "</item>"));
    CHECK(is_bounded(done));
    CHECK(done.out.find("\"g\"") != std::string::npos);
  }
  for (auto const* text : {"a@b,", "mailto:a@b,", "'\"", "()"})
    CHECK(is_bounded(parse(rss(repeated("<item><author>" + repeated(text, 1000) + "</author></item>", 5000)))));
  CHECK(is_bounded(parse(
      rss(repeated("<item><author>" + std::string(1000, '(') + std::string(1000, ')') + "</author></item>", 5000)))));
}

TEST_CASE("dates of many words or many dates cost no more than others", "[stitch]") {
  CHECK(is_bounded(
      parse(rss(repeated("<item><pubDate>" + repeated("foo bar ", 18) + "14 Oct 2009</pubDate></item>", 200'000)))));
  CHECK(is_bounded(
      parse(rss("<item>" + repeated("<pubDate>14 A\u011fustos 2009 Cuma 14:00 XYZ</pubDate>", 800'000) + "</item>"))));
}

TEST_CASE("markup that is mended costs no more than other markup", "[stitch]") {
  auto const title = "<title>" + repeated("]]>", 50) + "</title>";
  CHECK(is_bounded(parse(rss("<item>" + repeated(title, 300'000) + "</item>"))));
  CHECK(is_bounded(parse(rss(repeated("<ttl>6<item><title>x</title></item>", 500'000)))));
  CHECK(is_bounded(parse(rss("<item>" + repeated("<enclosure url='http://a.test/'>", 1'000'000)))));
  CHECK(is_bounded(parse(rss(repeated("<a:item xmlns:a='u'/><b:item xmlns:b='v'/>", 100'000)))));
  CHECK(is_bounded(parse(json("{\"id\":\"" + repeated("\\ud800\n", 5'000'000)))));
}

TEST_CASE("a long base is not written in front of a million links", "[stitch]") {
  auto const done = parse(atom("<entry xml:base='http://a.test/" + repeated("x/", 4000) + "'><content type='html'>" +
                               repeated("&lt;a href=x&gt;", 300'000) + "</content></entry>"));
  CHECK(is_bounded(done));
  CHECK(done.out.size() < 32U << 20);
  auto const base = "<link>http://a.test/" + std::string(2000, 'x') + "/</link>";
  auto const set = parse(rss(base + "<item><description><![CDATA[<img srcset='" + repeated("a 1x, ", 600'000) +
                             "'>]]></description></item>"));
  CHECK(is_bounded(set));
  CHECK(set.out.size() < 32U << 20);
  auto const entry = "<entry><content type='html'>" + repeated("&lt;a href=x&gt;", 300) + "</content></entry>";
  auto const many = parse("<feed xmlns='http://www.w3.org/2005/Atom' xml:base='http://a.test/" +
                          std::string(2000, 'x') + "/'>" + repeated(entry, 3000) + "</feed>");
  CHECK(is_bounded(many));
  CHECK(many.out.size() < 64U << 20);
  CHECK(is_bounded(parse(atom("<entry>" + repeated("<x xml:base='" + std::string(8000, 'x') + "/'>", 190)))));
  auto const inline_base = "<entry><content type='xhtml'><div xml:base='http://a.test/" + std::string(2000, 'x') +
                           "/'>" + repeated("<a href='x'/>", 500) + "</div></content></entry>";
  CHECK(is_bounded(parse(atom(repeated(inline_base, 4000)))));
}

TEST_CASE("of more HTML than can be sanitised in time the text is shown", "[stitch]") {
  auto const article = [](std::string_view html) {
    return "<item><guid>g</guid><description><![CDATA[" + std::string{html} + "]]></description></item>";
  };
  std::vector<std::string> const sanitize{"--sanitize"};
  auto const ordinary = article(repeated("<p>hello <b>world</b> <a href='x'>link</a></p>", 50));
  auto const large = parse(rss(repeated(ordinary, 18'000)), sanitize);
  CHECK(is_bounded(large));
  CHECK(large.out.find("<p>hello <b>world</b>") != std::string::npos);
  CHECK(large.out.rfind("hello world link") > large.out.rfind("<b>"));
  CHECK(large.err.find("more HTML") != std::string::npos);
  auto const formats = repeated("<b><i><u><s><tt><em>", 4);
  for (auto const& html : {
           repeated("<p>x", 1'000'000),
           repeated("<span>", 500) + repeated("</x>", 1'000'000),  // each end tag looks at all that is open
           formats + repeated("</p><p>", 500'000),                 // each paragraph repeats what is open
           repeated("<a a b c d e f g h i j k l m n o p q>", 100'000),
           repeated("<table>", 100) + repeated("x<p>", 900'000),
       })
    CHECK(is_bounded(parse(rss(repeated(article(html), 8)), sanitize)));
  for (auto const& html : {std::string{"<b>x"}, repeated("<span>", 500) + repeated("</x>", 100),
                           formats + repeated("</p><p>", 100), repeated("<a a b c d e f g h i j>", 20)})
    CHECK(is_bounded(parse(rss(repeated(article(html), 50'000'000 / (100 + html.size()))), sanitize)));
}

TEST_CASE("the feeds of a page are looked for in bounds", "[stitch]") {
  auto const discover = [](std::string_view page) {
    temp_dir const folder;
    auto command = bounds;
    command.insert(command.end(), {CISTERN_PROGRAM, "feed", "discover", folder.write("page", page).string(), "--base",
                                   "http://a.test/"});
    return run(std::move(command));
  };
  std::string const head = "<html><head><link rel=alternate type=application/rss+xml href=/mine></head><body>";
  for (auto const* part : {"<p>", "<div>", "</p><p>", "<a href=/feed.xml>", "<a a b c d e f g h i j k l m n o p>",
                           "<table>", "<", "<link rel=alternate type=application/rss+xml href=/f>"}) {
    auto const done = discover(head + repeated(part, 15'000'000 / std::string_view{part}.size()));
    INFO(part);
    CHECK(done.exit_code == 0);
    CHECK(done.out.starts_with("http://a.test/mine\t"));
  }
}

TEST_CASE("the feed's authors are not written into a hundred thousand items at any length", "[stitch]") {
  auto const author = "<author><name>" + std::string(2000, 'n') + "</name></author>";
  auto const done = parse(atom(repeated(author, 1) + repeated("<entry><id>x</id></entry>", 100'000)));
  CHECK(is_bounded(done));
  CHECK(done.out.size() < 64U << 20);
}

TEST_CASE("what unpacks without end is read as far as a feed may go", "[stitch]") {
  CHECK(is_bounded(parse(packed(with_text(std::string(80U << 20, ' '))))));
  CHECK(is_bounded(parse(packed(std::string(80U << 20, '\0')))));
  CHECK(is_bounded(parse(packed(packed(std::string(80U << 20, '\0'))))));
  CHECK(parse(packed(packed(rss("")))).exit_code == 1);  // one wrapping is forgiven, two are no feed
}

TEST_CASE("no file is read and nobody is called, whatever a feed asks for", "[stitch]") {
  temp_dir const folder;
  auto const secret = "file://" + folder.write("secret", "the-secret").string();
  silent_server const server;
  for (auto const& target : {secret, server.url("x")}) {
    auto const system = "SYSTEM '" + target + "'";
    for (auto const& text : {
             "<!DOCTYPE rss [<!ENTITY x " + system + ">]>" + with_text("a&x;b"),
             "<!DOCTYPE rss " + system + ">" + with_text("a&x;b"),
             "<!DOCTYPE rss PUBLIC '-//x//y' '" + target + "'>" + with_text("a&x;b"),
             "<!DOCTYPE rss [<!ENTITY % p " + system + "> %p; <!ENTITY x '%p;'>]>" + with_text("a&x;b"),
             "<?xml-stylesheet href='" + target + "' type='text/xsl'?>" + with_text("ab"),
             with_text("a<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' parse='text' href='" + target + "'/>b"),
             "<rss xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' xsi:schemaLocation='" + target + " " + target +
                 "'><channel><item><description>ab</description></item></channel></rss>",
         }) {
      auto const done = parse(text, {"--base", target});
      INFO(text);
      CHECK(done.exit_code == 0);
      CHECK(done.out.find("the-secret") == std::string::npos);
    }
  }
  CHECK_FALSE(server.was_called());
}
