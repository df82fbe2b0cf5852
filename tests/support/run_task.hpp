#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <exception>
#include <optional>
#include <stdexcept>

/// Runs one coroutine to its end on `io`, and nothing longer than that; a test that hangs fails by exception.
template <class T>
T run_task(boost::asio::io_context& io, boost::asio::awaitable<T> task,
           std::chrono::seconds watchdog = std::chrono::seconds{20}) {
  std::exception_ptr failure;
  std::optional<T> out;
  boost::asio::co_spawn(io, std::move(task), [&](std::exception_ptr error, T value) {
    failure = error;
    out.emplace(std::move(value));
    io.stop();
  });
  io.restart();
  io.run_for(watchdog);
  if (failure) std::rethrow_exception(failure);
  if (!out) throw std::runtime_error{"the task did not end in time"};
  return std::move(*out);
}
