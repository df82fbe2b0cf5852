#include "stitch/feed/errors.hpp"

#include <string>

namespace cistern::stitch::feed {
namespace {

struct category final : boost::system::error_category {
  char const* name() const noexcept override { return "feed"; }
  std::string message(int value) const override {
    switch (static_cast<errc>(value)) {
      case errc::not_a_feed:
        return "not a feed: expected RSS, Atom, CDF or JSON Feed";
      case errc::not_opml:
        return "not OPML: expected an <opml> document with outlines";
    }
    return "unknown feed error";
  }
};

}  // namespace

boost::system::error_code make_error_code(errc e) noexcept {
  static category const instance;
  return {static_cast<int>(e), instance};
}

}  // namespace cistern::stitch::feed
