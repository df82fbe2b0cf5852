#include "store/check.hpp"
#include "store/salvage.hpp"
#include "tools/cistern/guarded.hpp"
#include "tools/cistern/progress.hpp"
#include "tools/cistern/repository_command.hpp"

#include <iostream>

namespace cistern::tools {
namespace {

/// What a guarded child found, beside the exit codes of the program.
enum finding : int { in_order = done, not_possible = failed, problems = 100, structure = 101 };

void print_summary(store::check_report const& report) {
  std::cout << "the repository is in order: " << counted(report.objects, "object") << ", " << rounded_size(report.bytes)
            << " in " << counted(report.chunks, "chunk") << ", " << counted(report.records, "record") << '\n';
}

/// A look that changes nothing, beside a running daemon or without one.
int look(store::repository_options options, progress& bar) try {
  options.read_only = true;
  store::repository repository{options};
  auto const report =
      store::integrity_check{repository}.run([&](std::uint64_t chunks, std::uint64_t of) { bar.tell(chunks, of); });
  bar.finish();
  if (!report) {
    std::cerr << "cistern: " << report.error().message() << '\n';
    return structure;
  }
  for (auto const& line : report->problems) std::cout << line << '\n';
  if (report->found > report->problems.size())
    std::cout << "and " << report->found - report->problems.size() << " more\n";
  if (report->needs_salvage) return structure;
  if (!report->clean()) return problems;
  print_summary(*report);
  return in_order;
} catch (store::damaged_error const& e) {
  std::cerr << "cistern: " << e.what() << '\n';
  return structure;
}

/// Removes what is damaged in place. A store that is not clean afterwards is damaged in its structure.
int repair(store::repository_options const& options) {
  store::repository repository{options};
  store::integrity_check check{repository};
  store::check_report report;
  if (!check.repair(report)) return structure;
  auto const after = check.run();
  if (!after || !after->clean()) return structure;
  std::cout << "repaired: " << counted(report.repaired, "damaged record") << " removed, everything else is kept\n";
  print_summary(*after);
  return in_order;
}

int save_what_is_left(store::repository_options const& options) {
  auto const saved = store::salvage(options);
  std::cout << "repaired: " << counted(saved.objects, "object") << " (" << rounded_size(saved.bytes) << ") and "
            << counted(saved.records, "record") << " saved, " << counted(saved.lost, "object")
            << " lost; the damaged file is kept as " << saved.damaged_file.string() << '\n';
  return in_order;
}

bool damaged(guarded_end const& end) { return end.crashed || end.exit_code == structure; }

/// One line on standard error that says what is wrong, after the lines that name each problem.
int tell_damage(guarded_end const& end, std::string const& folder) {
  if (end.exit_code == problems) {
    std::cerr << "cistern: the repository in " << folder << " has problems; run `cistern check --repair`\n";
    return failed;
  }
  if (end.exit_code == structure && end.errors.empty()) {
    std::cerr << "cistern: the repository in " << folder << " is damaged; run `cistern check --repair`\n";
    return failed;
  }
  int const code = report_end(end, folder);
  return code == done ? done : failed;
}

int check(store::repository_options const& options, bool and_repair) {
  auto const folder = options.path.string();
  if (and_repair) store::refuse_if_in_use(options.path);  // now, and not after an hour of looking
  progress bar{"checking"};
  auto end = run_guarded([&] { return look(options, bar); });
  if (!and_repair) return tell_damage(end, folder);
  if (end.exit_code != problems && !damaged(end)) return report_end(end, folder);
  // Where a body's bytes changed, LMDB's own may have too, and writing by a wrong page count destroys what is whole: so
  // a copy comes first, and repair in place is for a disk without room for one.
  bool const only_problems = end.exit_code == problems;
  end = run_guarded([&] { return save_what_is_left(options); });
  if (only_problems && end.exit_code != done) end = run_guarded([&] { return repair(options); });
  if (damaged(end)) return tell_damage(end, folder);
  return report_end(end, folder);
}

}  // namespace

void add_check_command(CLI::App& program, int& exit_code) {
  auto* const command = program.add_subcommand("check", "read the whole repository and compare all that must agree");
  auto const and_repair = std::make_shared<bool>(false);
  auto const sources = add_repository_options(*command);
  command->add_flag("--repair", *and_repair, "remove what is damaged, save everything else");
  command->callback([=, &exit_code] { exit_code = check(repository_options_from(*sources), *and_repair); });
}

}  // namespace cistern::tools
