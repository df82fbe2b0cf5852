#include "store/durable_file.hpp"
#include "store/repository.hpp"
#include "tools/cistern/guarded.hpp"
#include "tools/cistern/repository_command.hpp"

#include <iostream>
#include <stdexcept>

namespace cistern::tools {
namespace {

template <class T>
T value_or_throw(store::result<T> outcome) {
  if (!outcome) throw std::runtime_error{outcome.error().message()};
  return std::move(*outcome);
}

/// The pages in use, and a little for what LMDB adds.
void require_space(std::filesystem::path const& folder, std::uint64_t used) {
  auto const needed = used + used / 50 + (1u << 20);
  auto const there = std::filesystem::space(folder).available;
  if (there < needed)
    throw std::runtime_error{"compacting needs " + rounded_size(needed) + " free in " + folder.string() + " and " +
                             rounded_size(there) + " are; free some space first"};
}

/// The daemon stays out while we hold the repository open; the copy takes the old file's place in one rename.
int compact(store::repository_options const& options) {
  auto const file = options.path / "data.mdb";
  if (!std::filesystem::exists(file))
    throw std::runtime_error{"there is no repository in " + options.path.string() +
                             "; start `cistern serve` once to make one"};
  store::repository repository{options};
  auto const before = value_or_throw(repository.measure());
  require_space(options.path, before.used_bytes);
  store::scratch_folder const scratch{options.path / "compact"};
  if (auto const copied = repository.copy_compact(scratch.path()); !copied)
    throw std::runtime_error{"the copy could not be written: " + copied.error().message()};
  auto copy_options = options;
  copy_options.path = scratch.path();
  copy_options.read_only = true;
  auto const after = value_or_throw(store::repository{copy_options}.measure());
  if (after.objects != before.objects || after.body_bytes != before.body_bytes)
    throw std::runtime_error{"the copy does not hold what the repository holds; run `cistern check`"};
  store::replace_durably(scratch.path() / "data.mdb", file);
  std::cout << "compacted " << file.string() << ": " << rounded_size(before.file_bytes) << " before, "
            << rounded_size(after.file_bytes) << " now, " << counted(after.objects, "object") << '\n';
  return done;
}

}  // namespace

void add_compact_command(CLI::App& program, int& exit_code) {
  auto* const command = program.add_subcommand("compact", "give the disk back what the repository no longer uses");
  auto const sources = add_repository_options(*command);
  command->callback([sources, &exit_code] {
    auto const options = repository_options_from(*sources);
    exit_code = report_end(run_guarded([&] { return compact(options); }), options.path.string());
  });
}

}  // namespace cistern::tools
