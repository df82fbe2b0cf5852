#include "store/durable_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace cistern::store {
namespace {

void sync_path(std::filesystem::path const& path) {
  int const fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  bool const synced = fd >= 0 && ::fsync(fd) == 0;
  int const why = errno;
  if (fd >= 0) ::close(fd);
  if (!synced) throw std::system_error{why, std::generic_category(), path.string()};
}

}  // namespace

scratch_folder::scratch_folder(std::filesystem::path path) : path_{std::move(path)} {
  std::filesystem::remove_all(path_);
  std::filesystem::create_directory(path_);
  ::chmod(path_.c_str(), 0700);
}

scratch_folder::~scratch_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_durably(std::filesystem::path const& file, std::string_view bytes) {
  auto made = file;
  made += ".new";
  int const fd = ::open(made.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  bool const written = fd >= 0 && ::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  int const why = errno;
  if (fd >= 0) ::close(fd);
  if (!written) {
    std::error_code ignored;
    std::filesystem::remove(made, ignored);
    throw std::system_error{why, std::generic_category(), made.string()};
  }
  replace_durably(made, file);
}

void replace_durably(std::filesystem::path const& made, std::filesystem::path const& old) {
  ::chmod(made.c_str(), 0600);  // decrypted pages are as private as passwords
  sync_path(made);
  std::filesystem::rename(made, old);
  sync_path(old.parent_path());
}

}  // namespace cistern::store
