#pragma once

#include "store/repository.hpp"
#include "tests/support/temp_dir.hpp"

#include <boost/asio/use_future.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace cistern::tests {

/// A repository of its own in a folder of its own, with the asynchronous calls made to wait.
class temp_store {
public:
  explicit temp_store(std::uint64_t quota = 256u << 20) { open(quota); }

  void open(std::uint64_t quota = 256u << 20, bool read_only = false) {
    repository_.reset();
    repository_ = std::make_unique<store::repository>(store::repository_options{
        .path = dir_.path() / "data", .quota = quota, .map_reserve = 8ull << 30, .read_only = read_only});
  }
  void close() { repository_.reset(); }

  store::repository& operator*() { return *repository_; }
  store::repository* operator->() { return repository_.get(); }
  [[nodiscard]] std::filesystem::path path() const { return dir_.path() / "data"; }

  /// Throws when the write fails.
  template <class Task>
  auto write(Task task, std::size_t cost = 0) {
    return repository_->write(std::move(task), boost::asio::use_future, cost).get().value();
  }
  store::stored_object put(store::object_head head, std::string body) {
    return repository_->put(std::move(head), std::move(body), boost::asio::use_future).get().value();
  }
  store::stored_object put(std::string url, std::string body) {
    return put(store::object_head{.url = std::move(url)}, std::move(body));
  }
  /// The newest complete body under that URL; "(absent)" when there is none.
  std::string body_of(std::string_view url) {
    auto const found = repository_->find(url).value();
    return found ? repository_->read_body(*found).value() : "(absent)";
  }

private:
  temp_dir dir_;
  std::unique_ptr<store::repository> repository_;
};

/// Bytes that are the same for the same seed and do not compress or repeat.
inline std::string noise(std::uint64_t seed, std::size_t size) {
  std::string out;
  out.reserve(size + 8);
  for (std::uint64_t x = seed * 0x9E3779B97F4A7C15ull + 1; out.size() < size;) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    out.append(reinterpret_cast<char const*>(&x), 8);
  }
  out.resize(size);
  return out;
}

}  // namespace cistern::tests
