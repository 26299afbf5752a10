//===- AtomicFileTest.cpp - output whole or not at all --------------------===//
//
// Part of the tamc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "io/AtomicFile.h"
#include "TestFiles.h"

#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace tamrt;
using namespace tamrt::test;

static std::string message(const Status &status) {
  return status ? "no error" : status.error().message;
}

static mode_t modeOf(const std::string &path) {
  struct stat info;
  EXPECT_EQ(stat(path.c_str(), &info), 0);
  return info.st_mode & 07777;
}

TEST(AtomicFile, AppearsAtCommit) {
  TemporaryFolder folder;
  std::string path = folder.at("out");
  put(path, "old");
  Result<AtomicFile> file = AtomicFile::create(path);
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write("new "));
  ASSERT_TRUE(file->write("text"));
  EXPECT_EQ(get(path), "old");
  ASSERT_TRUE(file->commit());
  EXPECT_EQ(get(path), "new text");
  EXPECT_EQ(folder.count(), 1u);
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  TemporaryFolder folder;
  {
    Result<AtomicFile> file = AtomicFile::create(folder.at("out"));
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write("half"));
    AtomicFile moved = *std::move(file);
    ASSERT_TRUE(moved.write("more"));
  }
  EXPECT_EQ(folder.count(), 0u);
}

TEST(AtomicFile, TakesTheUmaskOrTheOldMode) {
  TemporaryFolder folder;
  mode_t before = umask(027);
  EXPECT_TRUE(writeFile(folder.at("new"), "x"));
  umask(before);
  EXPECT_EQ(modeOf(folder.at("new")), 0640u);
  put(folder.at("old"), "x");
  ASSERT_EQ(chmod(folder.at("old").c_str(), 0604), 0);
  EXPECT_TRUE(writeFile(folder.at("old"), "y"));
  EXPECT_EQ(modeOf(folder.at("old")), 0604u);
}

TEST(AtomicFile, FollowsLinks) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder.at("sub"));
  std::filesystem::create_symlink("sub/real", folder.at("link"));
  std::filesystem::create_symlink("link", folder.at("link2"));
  // First the file does not exist, then it does.
  for (const char *text : {"one", "two"}) {
    EXPECT_EQ(message(writeFile(folder.at("link2"), text)), "no error");
    EXPECT_EQ(get(folder.at("sub/real")), text);
    EXPECT_TRUE(std::filesystem::is_symlink(folder.at("link")));
  }
  std::filesystem::create_symlink("loop", folder.at("loop"));
  EXPECT_EQ(message(writeFile(folder.at("loop"), "x")),
            folder.at("loop") +
                ": cannot write: Too many levels of symbolic links");
}

TEST(AtomicFile, NamesPathAndReason) {
  TemporaryFolder folder;
  put(folder.at("file"), "x");
  EXPECT_EQ(message(writeFile(folder.at("no/out"), "x")),
            folder.at("no/out") + ": cannot write: No such file or directory");
  EXPECT_EQ(message(writeFile(folder.at("file/out"), "x")),
            folder.at("file/out") + ": cannot write: Not a directory");
  EXPECT_EQ(message(writeFile(folder.path, "x")),
            folder.path.string() + ": cannot write: Is a directory");
  EXPECT_EQ(message(writeFile(folder.at("new/"), "x")),
            folder.at("new/") + ": cannot write: Is a directory");
  EXPECT_EQ(message(writeFile("", "x")),
            ": cannot write: No such file or directory");
  // No one may create files there, not even root.
  EXPECT_EQ(message(writeFile("/proc/self/tamrt", "x")),
            "/proc/self/tamrt: cannot write: No such file or directory");
  std::string longName = folder.at(std::string(300, 'n'));
  EXPECT_EQ(message(writeFile(longName, "x")),
            longName + ": cannot write: File name too long");
}

TEST(AtomicFile, WritesDevicesDirectly) {
  EXPECT_EQ(message(writeFile("/dev/null", "x")), "no error");
  EXPECT_EQ(message(writeFile("/dev/full", "x")),
            "/dev/full: cannot write: No space left on device");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST(AtomicFile, WritesPipesDirectly) {
  TemporaryFolder folder;
  std::string path = folder.at("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = get(path); });
  std::string text(200000, 'z');
  EXPECT_EQ(message(writeFile(path, text)), "no error");
  reader.join();
  EXPECT_TRUE(got == text);
}

TEST(AtomicFile, WritesStandardOutput) {
  TemporaryFolder folder;
  std::fflush(stdout);
  int saved = dup(STDOUT_FILENO);
  int file = open(folder.at("out").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_GE(dup2(file, STDOUT_FILENO), 0);
  close(file);
  std::string result = message(writeFile("-", "to stdout"));
  int flags = fcntl(STDOUT_FILENO, F_GETFD);
  dup2(saved, STDOUT_FILENO);
  close(saved);
  EXPECT_EQ(result, "no error");
  EXPECT_GE(flags, 0) << "standard output was closed";
  EXPECT_EQ(get(folder.at("out")), "to stdout");
}

// Sends a signal to a child with two unfinished outputs, of which the second
// has a name if `suspends`; returns its wait status.
static int signalled(const TemporaryFolder &folder, int signal, bool ignored,
                     bool suspends = true) {
  pid_t child = fork();
  if (child == 0) {
    std::signal(signal, ignored ? SIG_IGN : SIG_DFL);
    const rlimit noCore = {0, 0};
    setrlimit(RLIMIT_CORE, &noCore);
    removeTemporariesOnSignals();
    Result<AtomicFile> first = AtomicFile::create(folder.at("out"));
    Result<AtomicFile> second = AtomicFile::create(folder.at("other"));
    Result<AtomicFile> done = AtomicFile::create(folder.at("done"));
    bool good = first && second && done && first->write("x").ok() &&
                (!suspends || second->suspend().ok()) &&
                done->write("whole").ok() && done->commit().ok();
    raise(signal);
    _exit(good && first->commit().ok() && second->commit().ok() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(AtomicFile, LeavesNothingWhenASignalEndsTheProcess) {
  std::vector<int> signals = {
      SIGHUP, SIGINT,  SIGQUIT, SIGILL,  SIGTRAP,   SIGABRT,   SIGBUS,
      SIGFPE, SIGUSR1, SIGSEGV, SIGUSR2, SIGPIPE,   SIGALRM,   SIGTERM,
      SIGIO,  SIGXCPU, SIGPROF, SIGPWR,  SIGVTALRM, SIGSTKFLT, SIGSYS};
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal)
    signals.push_back(signal);
  for (int signal : signals) {
    TemporaryFolder folder;
    put(folder.at("out"), "old");
    int status = signalled(folder, signal, false);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal)
        << signal << " " << status;
    EXPECT_EQ(get(folder.at("out")), "old");
    EXPECT_EQ(get(folder.at("done")), "whole");
    EXPECT_EQ(folder.count(), 2u);
  }
  // As under nohup: ignored signals have no effect, nor do those that do not
  // end a process.
  for (int signal : {SIGHUP, SIGCHLD, SIGURG, SIGWINCH, SIGCONT}) {
    TemporaryFolder folder;
    int status = signalled(folder, signal, signal == SIGHUP);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_EQ(get(folder.at("out")), "x");
    EXPECT_EQ(folder.count(), 3u);
  }
}

TEST(AtomicFile, LeavesNoneOfManyWhenASignalEndsTheProcess) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder.at("empty"));
  pid_t child = fork();
  if (child == 0) {
    removeTemporariesOnSignals();
    bool good = true;
    std::vector<OutputFolder> folders;
    std::vector<AtomicFile> files;
    for (const char *name : {"new/er/est", "empty", "kept"}) {
      Result<OutputFolder> made = OutputFolder::make(folder.at(name));
      good &= made.ok();
      folders.push_back(*std::move(made));
    }
    folders.back().keep();
    for (int i = 0; i < 100; ++i) {
      Result<AtomicFile> file = AtomicFile::create(
          folder.at(fmt::format("new/er/est/{:0{}}", i, 1 + i)));
      good &= file && file->write("x").ok() && file->suspend().ok();
      files.push_back(*std::move(file));
    }
    // Their entries are used again.
    for (int i = 0; i < 100; i += 2)
      files[size_t(i)] = std::move(files[size_t(i) + 1]);
    if (good)
      raise(SIGTERM);
    _exit(1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  EXPECT_FALSE(std::filesystem::exists(folder.at("new")));
  EXPECT_TRUE(std::filesystem::is_empty(folder.at("empty")));
  EXPECT_TRUE(std::filesystem::is_empty(folder.at("kept")));
}

/// The handler runs on one thread while another goes on to make files.
TEST(AtomicFile, LeavesNoneThatAnotherThreadMakes) {
  for (int round = 0; round < 10; ++round) {
    TemporaryFolder folder;
    pid_t child = fork();
    if (child == 0) {
      removeTemporariesOnSignals();
      std::thread([] {
        while (true)
          pause();
      }).detach();
      sigset_t blocked;
      sigemptyset(&blocked);
      sigaddset(&blocked, SIGTERM);
      pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
      std::vector<OutputFolder> folders;
      std::vector<AtomicFile> files;
      for (int i = 0;; ++i) {
        const std::string path = folder.at(fmt::format("new/{}/{}", i, i));
        Result<OutputFolder> made = OutputFolder::make(folder.at("new"));
        Result<OutputFolder> below =
            OutputFolder::make(folder.at(fmt::format("new/{}", i)));
        Result<AtomicFile> file = AtomicFile::create(path);
        if (!made || !below || !file || !file->suspend().ok())
          _exit(1);
        folders.push_back(*std::move(made));
        folders.push_back(*std::move(below));
        files.push_back(*std::move(file));
      }
    }
    while (!std::filesystem::exists(folder.at("new/50")))
      if (waitpid(child, nullptr, WNOHANG) != 0)
        FAIL() << "the process ended";
    kill(child, SIGTERM);
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
    EXPECT_EQ(folder.count(), 0u);
  }
}

TEST(OutputFolder, RemovesWhatItMade) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder.at("old"));
  {
    Result<OutputFolder> made = OutputFolder::make(folder.at("a/b/"));
    ASSERT_TRUE(made);
    OutputFolder moved = *std::move(made);
    ASSERT_TRUE(OutputFolder::make(folder.at("old")));
    EXPECT_TRUE(std::filesystem::is_directory(folder.at("a/b")));
  }
  EXPECT_EQ(folder.count(), 1u);
  // Not with the files of others.
  {
    Result<OutputFolder> made = OutputFolder::make(folder.at("a/b"));
    ASSERT_TRUE(made);
    put(folder.at("a/other"), "x");
  }
  EXPECT_FALSE(std::filesystem::exists(folder.at("a/b")));
  EXPECT_EQ(get(folder.at("a/other")), "x");
  EXPECT_EQ(OutputFolder::make(folder.at("a/other")).error().message,
            folder.at("a/other") + ": cannot make the folder: File exists");
  EXPECT_EQ(OutputFolder::make(folder.at("a/other/x")).error().message,
            folder.at("a/other/x") +
                ": cannot make the folder: Not a directory");
  std::filesystem::create_symlink("none", folder.at("link"));
  EXPECT_FALSE(OutputFolder::make(folder.at("link")));
  EXPECT_FALSE(OutputFolder::make(folder.at("c/../link/d")));
  EXPECT_FALSE(std::filesystem::exists(folder.at("c")));
  Result<OutputFolder> above = OutputFolder::make(folder.at("e/../f"));
  ASSERT_TRUE(above);
  EXPECT_TRUE(std::filesystem::is_directory(folder.at("f")));
}

TEST(AtomicFile, LeavesNothingWhenTheProcessIsKilled) {
  TemporaryFolder folder;
  const int unnamed = open(folder.path.c_str(), O_RDWR | O_TMPFILE, 0600);
  if (unnamed < 0)
    GTEST_SKIP() << "the file system has no files without a name";
  close(unnamed);
  int status = signalled(folder, SIGKILL, false, /*suspends=*/false);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  EXPECT_EQ(get(folder.at("done")), "whole");
  EXPECT_EQ(folder.count(), 1u);
}

TEST(AtomicFile, GoesOnAfterItWasSuspended) {
  TemporaryFolder folder;
  put(folder.at("out"), "old");
  for (bool commits : {false, true}) {
    Result<AtomicFile> file = AtomicFile::create(folder.at("out"));
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->suspend());
    ASSERT_TRUE(file->suspend());
    ASSERT_TRUE(file->write("new "));
    ASSERT_TRUE(file->suspend());
    EXPECT_EQ(folder.count(), 2u);
    ASSERT_TRUE(file->write("text"));
    ASSERT_TRUE(file->suspend());
    if (commits) {
      ASSERT_TRUE(file->commit());
    }
  }
  EXPECT_EQ(get(folder.at("out")), "new text");
  EXPECT_EQ(folder.count(), 1u);
}

TEST(AtomicFile, TellsWhetherTwoNamesAreOneFile) {
  TemporaryFolder folder;
  put(folder.at("a"), "x");
  put(folder.at("b"), "x");
  std::filesystem::create_symlink("a", folder.at("link"));
  std::filesystem::create_hard_link(folder.at("a"), folder.at("hard"));
  auto isSame = [&](const std::string &a, const std::string &b) {
    std::optional<FileIdentity> first = identify(folder.at(a), -1);
    return first && first == identify(folder.at(b), -1);
  };
  EXPECT_TRUE(isSame("a", "./a"));
  EXPECT_TRUE(isSame("link", "a"));
  EXPECT_TRUE(isSame("hard", "a"));
  EXPECT_FALSE(isSame("a", "b"));
  // Of files that are not there yet, too.
  std::filesystem::create_symlink("none", folder.at("to none"));
  EXPECT_TRUE(isSame("none", "./none"));
  EXPECT_TRUE(isSame("to none", "none"));
  EXPECT_FALSE(isSame("none", "no other"));
  EXPECT_FALSE(isSame("no/none", "no/none"));
  EXPECT_FALSE(identify("/dev/null", -1));
  EXPECT_FALSE(identify("", -1));
  // Files that the process has as standard streams.
  const int descriptor = open(folder.at("hard").c_str(), O_RDONLY);
  ASSERT_GE(descriptor, 0);
  EXPECT_EQ(identify("-", descriptor), identify(folder.at("a"), -1));
  EXPECT_NE(identify("-", descriptor), identify(folder.at("b"), -1));
  close(descriptor);
  EXPECT_FALSE(identify("-", descriptor));
}

TEST(AtomicFile, CheckOpensNothing) {
  TemporaryFolder folder;
  put(folder.at("file"), "x");
  EXPECT_EQ(message(AtomicFile::check(folder.at("new"))), "no error");
  EXPECT_EQ(message(AtomicFile::check(folder.at("file"))), "no error");
  EXPECT_EQ(message(AtomicFile::check("-")), "no error");
  EXPECT_EQ(message(AtomicFile::check("/dev/full")), "no error");
  for (const std::string &path :
       {folder.at("no/out"), folder.at("file/out"), folder.at("new/"),
        std::string(folder.path), std::string("/proc/self/tamrt")})
    EXPECT_EQ(message(AtomicFile::check(path)),
              AtomicFile::create(path).error().message);
  // Would wait for a reader.
  ASSERT_EQ(mkfifo(folder.at("pipe").c_str(), 0666), 0);
  EXPECT_EQ(message(AtomicFile::check(folder.at("pipe"))), "no error");
  EXPECT_EQ(get(folder.at("file")), "x");
  EXPECT_EQ(folder.count(), 2u);
}

TEST(AtomicFile, LeavesNothingWhenTheDiskIsFull) {
  TemporaryFolder folder;
  put(folder.at("out"), "old");
  // A limit on file sizes stands for a full disk.
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit = {1000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  Result<AtomicFile> file = AtomicFile::create(folder.at("out"));
  std::string first, second, last;
  if (file) {
    first = message(file->write(std::string(2000, 'x')));
    second = message(file->write("y"));
    last = message(file->commit());
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(first, folder.at("out") + ": cannot write: File too large");
  EXPECT_EQ(second, first);
  EXPECT_EQ(last, first);
  EXPECT_EQ(get(folder.at("out")), "old");
  EXPECT_EQ(folder.count(), 1u);
}
