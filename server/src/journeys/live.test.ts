import { beforeAll, expect, test } from "vitest";
import { deployWorkflow, trigger, waitForRun } from "#domains/runs/testing/workflows.ts";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { type Ask, until } from "#kernel/testing/world.ts";
import { moveTo, useConsole, type Visitor } from "./testing.ts";

/** The reads that a renamed user causes: they show that a page has processed all earlier events. */
const MARKER = "/auth/me";
const OF_MARKER = [
  MARKER,
  "/itsm/teams?limit=200",
  "/settings/users?limit=200",
  "/workflows?orphaned=true&limit=7",
  "/workflows?limit=200",
];

describeInBrowser("reads after live events", () => {
  const at = useConsole();

  let owner: Ask;
  let renamed = 0;
  beforeAll(async () => {
    owner = await at.world.member(["owner"]);
  });

  const raise = async (title: string) => {
    const made = await owner("POST /api/v1/itsm/incidents", { title, description: "It is off." });
    expect(made.status).toBe(201);
    return made.body.data as { id: string; number: string };
  };
  /** The reads of a page from now on, such as `/itsm/incidents/INC0000001`. */
  const readsOf = ({ page }: Visitor): string[] => {
    const reads: string[] = [];
    page.on("request", (request) => {
      const { pathname, search } = new URL(request.url());
      if (request.method() !== "GET" || !pathname.startsWith("/api/v1/")) return;
      reads.push(decodeURIComponent(pathname.slice("/api/v1".length) + search));
    });
    return reads;
  };
  /** Resolves when the page has processed all events, which arrive in log order. */
  const hearAll = async (reads: readonly string[]): Promise<void> => {
    const known = reads.filter((path) => path === MARKER).length;
    renamed += 1;
    expect((await owner("PATCH /api/v1/auth/me", { name: `Owner ${renamed}` })).status).toBe(200);
    await until(async () => reads.filter((path) => path === MARKER).length > known);
  };
  /** Expects that an action makes the page read exactly these resources. */
  const expectReads = async (
    reads: string[],
    act: () => Promise<unknown>,
    expected: readonly (string | RegExp)[],
  ): Promise<void> => {
    await hearAll(reads);
    reads.length = 0;
    await act();
    await hearAll(reads);
    const seen = reads.filter((path) => !OF_MARKER.includes(path));
    const isMeant = (path: string) => (one: string | RegExp) =>
      typeof one === "string" ? path === one : one.test(path);
    expect(seen.filter((path) => !expected.some(isMeant(path)))).toEqual([]);
    expect(expected.filter((one) => !seen.some((path) => isMeant(path)(one)))).toEqual([]);
    // Events of one action may arrive in two parts; each part reads all visible data once.
    expect(seen.length).toBeLessThan(expected.length * 2 + 1);
  };

  test("an action makes the desk read the ticket once, and another's ticket change reads only lists", async () => {
    const [{ number }, other] = [await raise("Printer"), await raise("Phone")];
    const agent = await at.visit(["owner"]);
    const { page } = agent;
    const reads = readsOf(agent);
    await page.goto(`${at.origin}/desk?view=open&open=${number}`);
    await page.getByRole("list", { name: "Timeline" }).waitFor();
    const lists = [/^\/itsm\/tickets\?/, "/itsm/views/counts", /^\/itsm\/incidents\?/];
    const ticket = [
      `/itsm/incidents/${number}`,
      `/itsm/incidents/${number}/sla`,
      `/itsm/incidents/${number}/timeline?limit=100`,
    ];
    const take = async (): Promise<void> => {
      await page.keyboard.press("t");
      await page.getByText(`${number} assigned to you`).waitFor();
    };
    await expectReads(reads, take, [...lists, ...ticket]);
    expect(reads.filter((path) => path === ticket[0])).toHaveLength(1);
    const change = async (): Promise<void> => {
      await owner(`PATCH /api/v1/itsm/incidents/${other.id}`, { title: "Phones" });
      await page.getByText("Phones").first().waitFor();
    };
    await expectReads(reads, change, lists);
    expect(agent.faults).toEqual([]);
  });

  test("runs, a grid and home read what an action changed there", async () => {
    const name = "Greet";
    const nodes = [{ id: "say", type: "set", config: { values: { x: 1 } } }];
    const id = await deployWorkflow(owner, nodes, { name });
    const columns = [{ name: "a", type: "text" }];
    await owner("POST /api/v1/tables", { name: "Parts", slug: "parts", columns });
    await owner("POST /api/v1/tables/parts/records/bulk", { records: [{ a: "one" }] });
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    const reads = readsOf(visitor);
    const run = async () => {
      const { body } = await trigger(owner, id);
      await waitForRun(owner, body.data.runId);
    };
    await page.goto(`${at.origin}/tables/parts`);
    await page.getByRole("gridcell", { name: "one", exact: true }).waitFor();
    const type = async (): Promise<void> => {
      await page.getByRole("grid").focus();
      await page.keyboard.type("two");
      await page.keyboard.press("Enter");
      await page.getByText("Saved", { exact: true }).waitFor();
    };
    // The written record is read again by id, because the server sets some values.
    await expectReads(reads, type, [
      "/tables/parts/records/summary",
      /^\/tables\/parts\/records\?filter=.*"in"/,
    ]);
    await moveTo(page, `${at.origin}/`);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await hearAll(reads);
    await expectReads(reads, () => raise("Screen"), ["/home/waiting"]);
    await moveTo(page, `${at.origin}/runs`);
    await page.getByRole("button", { name: "Failed" }).waitFor();
    await hearAll(reads);
    reads.length = 0;
    await run();
    await page.getByRole("row", { name }).first().waitFor();
    await hearAll(reads);
    // A run emits several events, depending on its duration.
    const seen = reads.filter((path) => !OF_MARKER.includes(path));
    expect([...new Set(seen)].toSorted()).toEqual(["/runs/counts", "/runs?limit=100"]);
  });

  test("changes between the first response and the opening of the stream are shown", async () => {
    const { id } = await raise("Read before it changed");
    const agent = await at.visit(["owner"]);
    const { page } = agent;
    const gate = Promise.withResolvers<void>();
    await page.route("**/platform.events/stream?*", async (route) => {
      await gate.promise;
      await route.continue();
    });
    await page.goto(`${at.origin}/desk?view=open`);
    await page.getByText("Read before it changed").first().waitFor();
    await owner(`PATCH /api/v1/itsm/incidents/${id}`, { title: "Changed on a slow line" });
    await at.world.settled();
    // The feed of the server has passed it, too.
    const later = await raise("Raised on a slow line");
    await at.world.settled();
    gate.resolve();
    await page.getByText("Changed on a slow line").first().waitFor();
    await page.getByText("Raised on a slow line").first().waitFor();
    expect(later.id).not.toBe(id);
  });
});
