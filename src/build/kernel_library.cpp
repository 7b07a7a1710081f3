#include "build/kernel_library.h"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/files.h"
#include "base/hash.h"

namespace cupel::build {
namespace fs = std::filesystem;
namespace {

// A kernel without torch's headers is some tens of kilobytes.
constexpr std::size_t k_library_bytes_max = 64 << 20;
// Sections and symbols looked at; a hostile file may claim billions.
constexpr std::uint64_t k_entries_max = 1 << 20;

#if defined(__x86_64__)
constexpr Elf64_Half k_machine = EM_X86_64;
// xor eax, eax; xorps xmm0, xmm0; ret
constexpr std::string_view k_returns{"\x31\xc0\x0f\x57\xc0\xc3", 6};
constexpr std::string_view k_returns_short{"\xc3", 1};
// ud2
constexpr std::string_view k_traps{"\x0f\x0b", 2};
#elif defined(__aarch64__)
constexpr Elf64_Half k_machine = EM_AARCH64;
// mov x0, #0; movi d0, #0; ret
constexpr std::string_view k_returns{"\x00\x00\x80\xd2\x00\xe4\x00\x2f\xc0\x03\x5f\xd6", 12};
constexpr std::string_view k_returns_short{"\xc0\x03\x5f\xd6", 4};
// udf #0
constexpr std::string_view k_traps{"\x00\x00\x00\x00", 4};
#else
#error "the machine code of an empty function is unknown for this processor"
#endif

// The file's bytes, read with bounds.
class Elf {
 public:
  explicit Elf(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  std::optional<T> at(std::uint64_t offset) const {
    T value;
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof value) return std::nullopt;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  bool has_text(std::uint64_t offset, std::string_view text) const {
    if (offset > bytes_.size() || bytes_.size() - offset <= text.size()) return false;
    return bytes_.substr(offset, text.size()) == text && bytes_[offset + text.size()] == '\0';
  }

  std::optional<Elf64_Sym> find_function(std::string_view name) const;
  // Where in the file the byte at that address comes from.
  std::optional<std::uint64_t> offset_of(Elf64_Addr address) const;

 private:
  std::optional<Elf64_Ehdr> header() const {
    const auto found = at<Elf64_Ehdr>(0);
    const bool is_ours = found && std::memcmp(found->e_ident, ELFMAG, SELFMAG) == 0 &&
                         found->e_ident[EI_CLASS] == ELFCLASS64 && found->e_machine == k_machine;
    return is_ours ? found : std::nullopt;
  }
  std::optional<Elf64_Shdr> section(const Elf64_Ehdr& header, std::uint64_t index) const {
    return at<Elf64_Shdr>(header.e_shoff + index * sizeof(Elf64_Shdr));
  }
  std::optional<Elf64_Sym> find_in(const Elf64_Ehdr& header, const Elf64_Shdr& symbols,
                                   std::string_view name) const;

  std::string_view bytes_;
};

std::optional<Elf64_Sym> Elf::find_in(const Elf64_Ehdr& header, const Elf64_Shdr& symbols,
                                      std::string_view name) const {
  const auto names = section(header, symbols.sh_link);
  const std::uint64_t count = symbols.sh_size / sizeof(Elf64_Sym);
  for (std::uint64_t i = 0; names && i < count && i < k_entries_max; ++i) {
    const auto symbol = at<Elf64_Sym>(symbols.sh_offset + i * sizeof(Elf64_Sym));
    if (!symbol) break;
    const bool is_function =
        ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF;
    if (is_function && has_text(names->sh_offset + symbol->st_name, name)) return symbol;
  }
  return std::nullopt;
}

std::optional<Elf64_Sym> Elf::find_function(std::string_view name) const {
  const auto file = header();
  for (std::uint64_t i = 0; file && i < file->e_shnum; ++i) {
    const auto table = section(*file, i);
    // A library has one; to search a hostile file's thousands would take hours.
    if (table && table->sh_type == SHT_DYNSYM) return find_in(*file, *table, name);
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Elf::offset_of(Elf64_Addr address) const {
  const auto file = header();
  for (std::uint64_t i = 0; file && i < file->e_phnum; ++i) {
    const auto segment = at<Elf64_Phdr>(file->e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment || segment->p_type != PT_LOAD || address < segment->p_vaddr) continue;
    const std::uint64_t inside = address - segment->p_vaddr;
    if (inside < segment->p_filesz) return segment->p_offset + inside;
  }
  return std::nullopt;
}

// False where there is no room for it.
bool write_code(std::string& bytes, std::uint64_t offset, std::uint64_t room, KernelBody body) {
  std::string_view code = body == KernelBody::traps ? k_traps : k_returns;
  if (body == KernelBody::returns && room < code.size()) code = k_returns_short;
  if (offset > bytes.size() || bytes.size() - offset < code.size() || room < code.size()) {
    return false;
  }
  std::memcpy(bytes.data() + offset, code.data(), code.size());
  return true;
}

bool replace_body(std::string& bytes, const std::string& function, KernelBody body) {
  const Elf elf(bytes);
  const auto symbol = elf.find_function(function);
  if (!symbol) return false;
  const auto offset = elf.offset_of(symbol->st_value);
  return offset && write_code(bytes, *offset, symbol->st_size, body);
}

}  // namespace

Result<Artifact> with_body(const fs::path& library, const std::string& function, KernelBody body,
                           const fs::path& cache) {
  Artifact artifact;
  CUPEL_TRY(std::string bytes, read_file(library, k_library_bytes_max));
  if (body != KernelBody::own && !replace_body(bytes, function, body)) {
    artifact.log = "no function '" + function + "' to replace";
    return artifact;
  }
  artifact.built = true;
  artifact.path = cache / (Hasher("kernel library").add("bytes", bytes).finish() +
                           library.extension().string());
  std::error_code unknown;
  if (fs::exists(artifact.path, unknown)) return artifact;
  CUPEL_TRY_STATUS(write_file_atomic(artifact.path, bytes));
  return artifact;
}

}  // namespace cupel::build
