#pragma once

/// The dashboard's password as it is kept: "scrypt:15:8:1:SALT:KEY", cost (log2), block size, parallelism, salt and key
/// in hexadecimal. scrypt (RFC 7914) because OpenSSL 3.0 has it and a guess costs 32 MiB of memory for a tenth of a
/// second; argon2 came to OpenSSL only later.

#include <string>
#include <string_view>

namespace cistern::proxy {

/// With a salt of its own. Throws std::runtime_error when the machine has no randomness or no memory for it.
[[nodiscard]] std::string hash_password(std::string_view password);
/// Written as above, and not costlier than this program would make it eightfold.
[[nodiscard]] bool is_password_hash(std::string_view hash);
/// Takes as long for a wrong password as for the right one.
[[nodiscard]] bool is_password(std::string_view password, std::string_view hash);

/// So many random bytes in hexadecimal.
[[nodiscard]] std::string random_name(std::size_t bytes);

}  // namespace cistern::proxy
