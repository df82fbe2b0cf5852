#include "store/errc.hpp"

#include <string>

namespace cistern::store {
namespace {

struct category final : boost::system::error_category {
  char const* name() const noexcept override { return "store"; }
  std::string message(int code) const override {
    switch (static_cast<errc>(code)) {
      case errc::store_full:
        return "the repository is full and nothing may be evicted; raise store.quota or remove a subscription";
      case errc::disk_full:
        return "the disk is full; free some space";
      case errc::damaged:
        return "a stored object is damaged; run `cistern check --repair`";
      case errc::gone:
        return "the object was removed meanwhile";
      case errc::read_only:
        return "the repository was opened read-only";
      case errc::misplaced:
        return "these bytes do not continue what is stored";
      case errc::closed:
        return "the repository is closing";
      case errc::took_too_long:
        return "the search took too long; use rarer words, or more of them";
      case errc::in_use:
        return "another process is using it; try again";
    }
    return "unknown store error";
  }
};

}  // namespace

boost::system::error_code make_error_code(errc e) {
  static category const instance;
  return {static_cast<int>(e), instance};
}

}  // namespace cistern::store
