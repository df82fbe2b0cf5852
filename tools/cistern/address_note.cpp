#include "tools/cistern/address_note.hpp"

#include <fstream>

namespace cistern::tools {
namespace {

constexpr char const* file_name = "address";

}  // namespace

address_note::address_note(std::filesystem::path const& data, std::string const& address) : file_{data / file_name} {
  std::ofstream{file_} << address << '\n';
}

address_note::~address_note() {
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

std::optional<std::string> noted_address(std::filesystem::path const& data) {
  std::ifstream file{data / file_name};
  std::string address;
  if (!std::getline(file, address) || address.size() > 100) return std::nullopt;
  return address;
}

}  // namespace cistern::tools
