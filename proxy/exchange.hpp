#pragma once

#include <string>

#include "proxy/request_body.hpp"
#include "proxy/web_proxy.hpp"
#include "store/hop_by_hop.hpp"
#include "store/vary.hpp"

namespace cistern::proxy {

inline constexpr std::string_view text_type = "text/plain; charset=utf-8";

/// One request on its way to its answer. Lives in the frame of web_proxy::answer.
struct web_proxy::exchange {
  exchange(sync::head_view const& given, connection& from)
      : head{given}, peer{from}, body{from, given}, keep{given.persistent() && !from.stopping} {}

  sync::head_view const& head;
  connection& peer;
  request_body body;
  bool keep;
  asked request{};
  store::cache_status::forward why = store::cache_status::forward::uri_miss;

  /// As they came, for Vary.
  [[nodiscard]] store::header_block const& fields() {
    if (fields_.empty()) fields_ = store::header_block::from_wire(std::string{head.fields});
    return fields_;
  }

  /// If-None-Match over several lines is one list.
  void join_conditions() {
    if (!request.conditions.more_lines) return;
    joined_none_ = fields().joined("If-None-Match");
    joined_match_ = fields().joined("If-Match");
    request.conditions.if_none_match = joined_none_;
    request.conditions.if_match = joined_match_;
    request.conditions.more_lines = false;
  }

  /// Whether an answer to somebody else's request would have been the answer to this one.
  [[nodiscard]] bool varies_alike(sync::arrived_head const& other) {
    auto const names = store::vary_names(other.fields);
    if (names.empty()) return true;
    return names != "*" && store::vary_key(names, fields()) == store::vary_key(names, other.sent);
  }

  /// A 1xx from the origin goes on to the client (RFC 9110 §15.2), if it can be trusted to know them.
  [[nodiscard]] boost::asio::awaitable<void> pass_interim(unsigned status, store::header_block fields);
  /// For requests that are made without sync::downloads. Holds a reference to this.
  [[nodiscard]] sync::interim_listener interim_listener() {
    return
        [this](unsigned status, store::header_block fields) { return pass_interim(status, store::end_to_end(fields)); };
  }

private:
  store::header_block fields_{};
  std::string joined_none_;
  std::string joined_match_;
};

}  // namespace cistern::proxy
