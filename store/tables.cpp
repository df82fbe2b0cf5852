#include "store/tables.hpp"

namespace cistern::store {
namespace {

std::string number(std::uint64_t value) {
  std::string key;
  append_key(key, value);
  return key;
}

}  // namespace

std::string job::key() const { return number(id); }
std::string subscription::key() const { return number(id); }
std::string journal_entry::key() const { return number(sequence); }

std::string item::key() const {
  auto key = number(subscription);
  key += identity.view();
  return key;
}

std::string item::time_key() const {
  auto const since = first_seen.time_since_epoch().count();
  auto out = number(since < 0 ? 0 : static_cast<std::uint64_t>(since));
  out += key();
  return out;
}

std::string search_mark::key() const {
  return item.empty() ? 'p' + std::string{url_digest.view()} : 'i' + item;
}

std::string ledger_entry::key() const {
  std::string key;
  append_key(key, day);
  key += static_cast<char>(purpose);
  append_key(key, subscription);
  key += host.substr(0, 255);
  key += '\0';
  key += link.substr(0, 64);
  return key;
}

}  // namespace cistern::store
