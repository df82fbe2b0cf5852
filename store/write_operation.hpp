#pragma once

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "store/result.hpp"
#include "store/write_batch.hpp"

namespace cistern::store {

/// Something for the writer's thread to do, and whom to tell when it is durable.
class write_operation {
public:
  virtual ~write_operation() = default;
  /// On the writer's thread, inside a transaction; may be called again after a full store was relieved.
  virtual void run(write_batch& batch) = 0;
  /// Once: after the transaction is on disk, or with why it is not.
  virtual void complete(boost::system::error_code why_not) noexcept = 0;
  /// About how many bytes it will store; batches are cut by it.
  std::size_t cost = 0;
};

/// The handler runs on its own executor, which is kept from running out of work meanwhile.
template <class T, class Handler>
class write_operation_for final : public write_operation {
public:
  using work = std::function<T(write_batch&)>;

  write_operation_for(work task, Handler handler)
      : task_{std::move(task)}, handler_{std::move(handler)}, busy_{boost::asio::get_associated_executor(handler_)} {}

  void run(write_batch& batch) override {
    if constexpr (std::is_void_v<T>) {
      task_(batch);
      value_.emplace();
    } else {
      value_ = task_(batch);
    }
  }

  void complete(boost::system::error_code why_not) noexcept override {
    auto const executor = busy_.get_executor();
    boost::asio::post(executor, [handler = std::move(handler_), answer = answer(why_not)]() mutable {
      std::move(handler)(std::move(answer));
    });
    busy_.reset();
  }

private:
  result<T> answer(boost::system::error_code why_not) {
    if (why_not) return {boost::system::in_place_error, why_not};  // by name: bool and numbers convert from anything
    if constexpr (std::is_void_v<T>) {
      return {};
    } else {
      return {boost::system::in_place_value, std::move(*value_)};
    }
  }

  struct nothing {};
  work task_;
  Handler handler_;
  boost::asio::executor_work_guard<boost::asio::associated_executor_t<Handler>> busy_;
  std::optional<std::conditional_t<std::is_void_v<T>, nothing, T>> value_;
};

}  // namespace cistern::store
