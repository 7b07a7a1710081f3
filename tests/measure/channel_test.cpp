#include "measure/host/channel.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "base/clock.h"

namespace cupel::measure {
namespace {

using nlohmann::json;

class ChannelTest : public testing::Test {
 protected:
  void SetUp() override {
    auto pair = make_socket_pair();
    ASSERT_TRUE(pair.has_value());
    ours_ = std::move(pair->first);
    theirs_ = std::move(pair->second);
  }
  std::int64_t in_ms(int ms) const { return SystemClock().now_ns() + ms * 1'000'000LL; }
  void write_raw(const std::string& bytes) const {
    ASSERT_EQ(::write(theirs_.get(), bytes.data(), bytes.size()),
              static_cast<ssize_t>(bytes.size()));
  }
  static std::string head(std::uint32_t size) {
    std::string bytes(4, '\0');
    std::memcpy(bytes.data(), &size, 4);
    return bytes;
  }
  UniqueFd ours_;
  UniqueFd theirs_;
};

TEST_F(ChannelTest, CarriesAFrame) {
  ASSERT_TRUE(send_frame(theirs_.get(), {{"re", "ready"}}, {}, 1).has_value());
  const Received received = receive_frame(ours_.get(), in_ms(1000), {});
  ASSERT_EQ(received.waited, Waited::frame);
  EXPECT_EQ(json::parse(received.body), (json{{"re", "ready"}}));
  EXPECT_GT(received.arrived_ns, 0);
}

TEST_F(ChannelTest, CarriesDescriptorsBesideAFrame) {
  int pipe_fds[2];
  ASSERT_EQ(::pipe(pipe_fds), 0);
  UniqueFd read_end(pipe_fds[0]);
  UniqueFd write_end(pipe_fds[1]);
  ASSERT_TRUE(send_frame(ours_.get(), {{"op", "vault"}}, {write_end.get()}, 1).has_value());
  char data[256];
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))];
  iovec part{data, sizeof data};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  ASSERT_GT(::recvmsg(theirs_.get(), &message, 0), 4);
  ASSERT_NE(CMSG_FIRSTHDR(&message), nullptr);
  int passed = -1;
  std::memcpy(&passed, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof passed);
  UniqueFd owned(passed);
  ASSERT_EQ(::write(passed, "x", 1), 1);
  EXPECT_EQ(::read(read_end.get(), data, 1), 1);
}

TEST_F(ChannelTest, StopsAtTheDeadlineEvenInsideAFrame) {
  write_raw(head(100) + "only a part");
  EXPECT_EQ(receive_frame(ours_.get(), in_ms(30), {}).waited, Waited::timeout);
}

TEST_F(ChannelTest, RefusesAFrameThatIsTooLong) {
  write_raw(head(k_frame_bytes_max + 1));
  EXPECT_EQ(receive_frame(ours_.get(), in_ms(1000), {}).waited, Waited::malformed);
}

TEST_F(ChannelTest, SaysWhenThePeerIsGone) {
  theirs_.reset();
  EXPECT_EQ(receive_frame(ours_.get(), in_ms(1000), {}).waited, Waited::closed);
}

TEST_F(ChannelTest, NoticesWhatNobodyAskedFor) {
  EXPECT_FALSE(has_unread(ours_.get()));
  write_raw("x");
  EXPECT_TRUE(has_unread(ours_.get()));
}

// A descriptor whose last close() waits for a peer that never reads.
UniqueFd lingering_socket(UniqueFd& listener, UniqueFd& peer) {
  listener.reset(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size);
  ::listen(listener.get(), 1);
  ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size);
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM, 0));
  ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), size);
  peer.reset(::accept(listener.get(), nullptr, nullptr));
  const std::vector<char> much(1 << 16);
  while (::send(socket.get(), much.data(), much.size(), MSG_DONTWAIT) > 0) {
  }
  const linger forever{1, 1 << 20};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &forever, sizeof forever);
  return socket;
}

TEST_F(ChannelTest, RefusesDescriptorsAndIsNotHeldUpByThem) {
  UniqueFd listener;
  UniqueFd peer;
  {
    const UniqueFd socket = lingering_socket(listener, peer);
    ASSERT_TRUE(send_frame(theirs_.get(), {{"re", "done"}}, {socket.get()}, 1).has_value());
  }  // the one that travels is the last
  EXPECT_EQ(receive_frame(ours_.get(), in_ms(1000), {}).waited, Waited::malformed);
}

TEST_F(ChannelTest, TellsOfAFrameWhenAllOfItIsHere) {
  int frames = 0;
  WaitWatch watch;
  watch.on_frame = [&frames](std::string_view) { ++frames; };
  write_raw(head(10) + "a part");
  EXPECT_EQ(receive_frame(ours_.get(), in_ms(30), watch).waited, Waited::timeout);
  EXPECT_EQ(frames, 0);
  ASSERT_TRUE(send_frame(theirs_.get(), {{"re", "done"}}, {}, 1).has_value());
  receive_frame(ours_.get(), in_ms(1000), watch);
  EXPECT_EQ(frames, 1);
}

TEST_F(ChannelTest, AFrameThatIsThereDoesNotMoveTheDeadline) {
  write_raw(head(2) + "{}");
  EXPECT_EQ(receive_frame(ours_.get(), in_ms(-1), {}).waited, Waited::timeout);
}

TEST_F(ChannelTest, DrainsOutputWhileItWaits) {
  int pipe_fds[2];
  ASSERT_EQ(::pipe2(pipe_fds, O_NONBLOCK), 0);
  UniqueFd read_end(pipe_fds[0]);
  UniqueFd write_end(pipe_fds[1]);
  ASSERT_EQ(::write(write_end.get(), "printed", 7), 7);
  std::string output;
  const WaitWatch watch{read_end.get(), [&](std::string_view text) { output += text; }, {}};
  EXPECT_EQ(receive_frame(ours_.get(), in_ms(80), watch).waited, Waited::timeout);
  EXPECT_EQ(output, "printed");
}

TEST_F(ChannelTest, ARaisedFlagEndsTheWait) {
  StopFlag flag;
  flag.raise();
  WaitWatch watch;
  watch.stop = &flag;
  EXPECT_EQ(receive_frame(ours_.get(), in_ms(60'000), watch).waited, Waited::stopped);
}

TEST_F(ChannelTest, TheWatchCanEndTheWait) {
  WaitWatch watch;
  watch.on_tick = [] { return true; };
  EXPECT_EQ(receive_frame(ours_.get(), in_ms(60'000), watch).waited, Waited::stopped);
}

std::string nested(int depth) {
  return R"({"re":)" + std::string(depth, '[') + std::string(depth, ']') + "}";
}

TEST(MessageIn, WhatNestsDeeplyIsNone) {
  EXPECT_TRUE(message_in(nested(40)).is_object());
  EXPECT_TRUE(message_in(nested(65)).is_null());
  EXPECT_TRUE(message_in(nested(1'900'000)).is_null());
  const std::string brackets(100, '[');
  EXPECT_TRUE(message_in(R"({"a\"\\":")" + brackets + R"(","b":1})").is_object());
  EXPECT_TRUE(message_in(R"({"a\\":)" + brackets).is_null());
}

TEST(MessageIn, OnlyObjectsAreMessages) {
  for (const char* body : {"", "7", "[1]", "{", "null", "{\"a\":\xff}"}) {
    EXPECT_TRUE(message_in(body).is_null()) << body;
  }
}

TEST(MessageIn, AKindIsAText) {
  EXPECT_TRUE(answers(message_in(R"({"re":"done"})"), "done"));
  for (const char* body : {R"({"re":"undone"})", R"({"re":7})", R"({"re":["done"]})", "{}", "7"}) {
    EXPECT_FALSE(answers(message_in(body), "done")) << body;
  }
}

}  // namespace
}  // namespace cupel::measure
