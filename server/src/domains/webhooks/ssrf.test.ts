import { expect, test } from "vitest";
import { useNames } from "#kernel/testing/names.ts";
import { startWorld, useWorld } from "#kernel/testing/world.ts";
import { startReceiver } from "./testing/receiver.ts";

/** Names that an attacker has pointed at inner addresses. */
useNames({
  "loopback.attacker.test": ["127.0.0.1"],
  "loopback6.attacker.test": ["::1"],
  "mapped.attacker.test": ["::ffff:169.254.169.254"],
  "metadata.google.internal": ["169.254.169.254"],
  "mixed.attacker.test": ["93.184.215.14", "10.0.0.1"],
  "mixed-last.attacker.test": ["2606:4700:4700::1111", "fd00::1"],
  "xn--bcher-kva.attacker.test": ["192.168.1.1"],
  "127.0.0.1.nip.test": ["127.0.0.1"],
  "nonsense.attacker.test": ["not an address"],
});

const world = await useWorld();
const owner = await world.member(["owner"]);

const HOOKS = "/api/v1/webhooks";
const draft = (url: string) => ({ name: "Hostile", url, events: ["*"] });

const AT_SAVE = [
  // Loopback, in all spellings that URL parsers accept.
  "https://127.0.0.1/",
  "https://127.0.0.1:8080/",
  "https://127.1/",
  "https://127.0.0.1./",
  "https://2130706433/",
  "https://017700000001/",
  "https://0177.0.0.1/",
  "https://0x7f.0.0.1/",
  "https://0x7f000001/",
  "https://%31%32%37.0.0.1/",
  "https://１２７.０.０.１/",
  "https://127。0。0。1/",
  "https://①②⑦.0.0.1/",
  "https://0/",
  "https://0.0.0.0/",
  "https://[::1]/",
  "https://[::]/",
  "https://[0:0:0:0:0:0:0:1]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[::ffff:7f00:1]/",
  "https://[::127.0.0.1]/",
  "https://[64:ff9b::7f00:1]/",
  "https://[2002:7f00:1::]/",
  // Internal networks, metadata services, and other addresses that are not public.
  "https://10.0.0.1/",
  "https://172.16.0.1/",
  "https://192.168.0.1/",
  "https://100.64.0.1/",
  "https://169.254.169.254/latest/meta-data/",
  "https://2852039166/",
  "https://0xa9fea9fe/",
  "https://0251.0376.0251.0376/",
  "https://[fd00:ec2::254]/",
  "https://[::ffff:a9fe:a9fe]/",
  "https://100.100.100.200/",
  "https://168.63.129.16/",
  "https://[fe80::1]/",
  "https://[ff02::1]/",
  "https://224.0.0.1/",
  "https://255.255.255.255/",
  // Forms that parsers interpret differently, or with additional parts.
  "https://user:password@example.com/",
  "https://user@example.com/",
  "https://example.com@127.0.0.1/",
  "https://example.com\\@127.0.0.1/",
  "https://localhost/",
  "https://LOCALHOST:8443/",
  "https://app.localhost/",
  "https://localhost./",
  "https://[fe80::1%25eth0]/",
  "https:///example.com/",
  "https:example.com",
  "https://example.com:0/",
  "https://exam\nple.com/",
  "https://example.com/\r\nHost: inner",
  " https://example.com/",
  "//example.com/",
  // Other schemes.
  "http://example.com/",
  "ftp://example.com/",
  "file:///etc/passwd",
  "gopher://127.0.0.1:6379/_FLUSHALL",
  "unix:/var/run/docker.sock",
];

test.each(AT_SAVE)("rejects %j when it is saved", async (url) => {
  const { body } = await owner(`POST ${HOOKS}`, draft("https://example.com/"));
  for (const answer of [
    await owner(`POST ${HOOKS}`, draft(url)),
    await owner(`PATCH ${HOOKS}/${body.data.id}`, { url }),
  ]) {
    expect(answer).toMatchObject({
      status: 422,
      body: { code: "invalid", errors: [{ path: "/url" }] },
      events: [],
    });
  }
});

const AT_SENDING = [
  "https://loopback.attacker.test/",
  "https://loopback6.attacker.test/",
  "https://mapped.attacker.test/",
  "https://metadata.google.internal/computeMetadata/v1/",
  "https://mixed.attacker.test/",
  "https://mixed-last.attacker.test/",
  "https://bücher.attacker.test/",
  "https://127.0.0.1.nip.test/",
  "https://nonsense.attacker.test/",
];

test.each(AT_SENDING)("rejects the address of %j when it is used", async (url) => {
  const { body } = await owner(`POST ${HOOKS}`, draft(url));
  const tested = await owner(`POST ${HOOKS}/${body.data.id}/test`);
  expect(tested).toMatchObject({
    status: 200,
    body: { status: 0, body: "", error: expect.stringContaining("is not public") },
    events: ["webhook.tested"],
  });
  // The error names no address, because that would reveal the internal network.
  expect(tested.body.error).not.toMatch(/\d+\.\d+\.\d+\.\d+(?!\.nip)|::/);
});

test("a host name that does not exist is an error too", async () => {
  const { body } = await owner(`POST ${HOOKS}`, draft("https://nowhere.attacker.test/"));
  const tested = await owner(`POST ${HOOKS}/${body.data.id}/test`);
  expect(tested.body).toMatchObject({ status: 0, error: expect.stringContaining("ENOTFOUND") });
});

test("redirects are recorded and not followed, whatever their target", async () => {
  await using receiver = await startReceiver();
  await using open = await startWorld({ env: receiver.env });
  const ask = await open.member(["owner"]);
  const places = [
    `${receiver.url}/inner`,
    "/inner",
    "http://169.254.169.254/latest/meta-data/",
    "https://localhost/",
    "file:///etc/passwd",
  ];
  for (const status of [301, 302, 303, 307, 308]) {
    for (const location of places) {
      receiver.answer = (_received, response) => response.writeHead(status, { location }).end("on");
      const { body } = await ask(`POST ${HOOKS}`, draft(`${receiver.url}/start`));
      const tested = await ask(`POST ${HOOKS}/${body.data.id}/test`);
      expect(tested.body).toMatchObject({ status, body: "on" });
    }
  }
  const paths = receiver.received.map(({ path }) => path);
  expect(paths).toEqual(Array.from({ length: 25 }, () => "/start"));
});
