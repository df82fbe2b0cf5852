#pragma once

#include <boost/system/error_code.hpp>

#include <type_traits>

namespace cistern::sync {

/// What can go wrong on the way to the outside. Every error that leaves the HTTP client is one of these, save for a
/// certificate that was refused, whose message says why. So ask `kind_of(error) == errc::tls_untrusted`, not `==`.
enum class errc {
  name_not_found = 1,  // the name does not exist
  dns_timeout,
  dns_unreachable,  // no name server answered: not the name's fault
  refused,
  unreachable,       // no route to there
  unusable_address,  // of a kind this machine does not speak
  connect_timeout,
  tls_untrusted,
  tls_failed,
  proxy_failed,  // the parent proxy would not let us through
  first_byte_timeout,
  stalled,      // bytes came, then none
  too_slow,     // the limit for the whole exchange was reached
  truncated,    // ended before it was complete
  reset,        // the connection was broken
  bad_framing,  // the answer cannot be trusted to end where it says: 502
  too_large,    // a limit of ours
  forbidden_address,
  too_busy,  // no connection became free in time
  cancelled,
  bad_url,
  bad_encoding,  // compressed data that cannot be decoded
  decoded_too_large,
  body_too_large,  // longer than whoever asked for it wants it
  wrong_digest,    // complete, and not what was promised
  redirect_loop,   // or too many of them
  budget_spent,    // no byte more may be used: not a failure, it goes on later
};

[[nodiscard]] boost::system::error_category const& sync_category();
[[nodiscard]] boost::system::error_code make_error_code(errc error);

/// A refused certificate with OpenSSL's reason (X509_V_ERR_*).
[[nodiscard]] boost::system::error_code make_verify_error(long reason);

/// Which of the above an error is; errors from elsewhere are `reset`.
[[nodiscard]] errc kind_of(boost::system::error_code error);

/// The error may come from our own link rather than from the origin: nothing answered at all. (A refusal or a broken
/// certificate proves that somebody is there.)
[[nodiscard]] bool is_link_trouble(boost::system::error_code error);

/// Nothing answered, but somebody on the way spoke: refused it or broke it. One such host says nothing about the link;
/// when every host fails like this, it is the link (a modem, a firewall, a parent proxy).
[[nodiscard]] bool may_be_link_trouble(boost::system::error_code error);

}  // namespace cistern::sync

template <>
struct boost::system::is_error_code_enum<cistern::sync::errc> : std::true_type {};
