#pragma once

/// Where commands get their answers: from the running daemon over HTTP, or, when none runs, from the same parts in this
/// process, on the repository itself. Either way it is the same API, so a command need not know which.

#include "tools/cistern/config_load.hpp"
#include "tools/cistern/daemon_call.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace cistern::tools {

/// The repository and all that fetches, without anybody listening.
class local_parts;

class service {
public:
  explicit service(config_sources const& sources);
  ~service();
  service(service const&) = delete;
  service& operator=(service const&) = delete;

  [[nodiscard]] bool is_daemon() const { return local_ == nullptr; }
  /// Throws with the API's own sentence when it refuses.
  boost::json::object call(std::string_view method, std::string_view target, std::string_view body = {});
  /// The answer as it came.
  daemon_answer call_raw(std::string_view method, std::string_view target, std::string_view body = {});
  /// One pass, to its end; `tell` gets the status now and then. What it brought may not be found by searching yet.
  boost::json::object pass(std::function<void(boost::json::object const&)> const& tell);
  /// Waits until it is, or for so long: then false.
  bool finish_index(std::chrono::seconds at_most);

private:
  config settings_;
  std::string address_;
  std::unique_ptr<local_parts> local_;
};

}  // namespace cistern::tools
