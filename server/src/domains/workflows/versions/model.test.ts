import fc from "fast-check";
import { expect, test } from "vitest";
import type { Answer } from "#kernel/testing/world.ts";
import { tries } from "#kernel/testing/thorough.ts";
import { createTestWorkflow, startWorkflowWorld, listTestVersions } from "../testing/world.ts";
import { type Environment, ENVIRONMENTS, Model } from "./testing/model.ts";
import { useFixture } from "#kernel/testing/world.ts";

const world = await useFixture(startWorkflowWorld());
const owner = await world.member(["owner"]);

const environment = fc.constantFrom(...ENVIRONMENTS);
// Few names, so that saves and restores often produce an earlier state.
const name = fc.constantFrom("A", "B", "C");
// Selects an existing version, counted from the oldest.
const pick = fc.nat(30);

const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("save" as const), name }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("publish" as const), environment }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("publishVersion" as const), environment, pick }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("rollback" as const), environment }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("snapshot" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("restore" as const), pick }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("archive" as const), pick }) },
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

/** Performs an action over HTTP and in the model, and returns both results. */
async function perform(
  path: string,
  model: Model,
  one: Action,
): Promise<{ readonly answer: Answer; readonly expected: readonly string[] | number }> {
  const post = (rest: string, body?: object, at: Environment = "production") =>
    owner(`POST ${path}/${rest}`, body, { "x-environment": at });
  const chosen = "pick" in one ? model.pick(one.pick) : undefined;
  const { number = 0, id = "" } = chosen ?? {};
  switch (one.do) {
    case "save":
      return {
        answer: await owner(`PATCH ${path}`, { name: one.name }),
        expected: model.save(one.name),
      };
    case "snapshot":
      return { answer: await post("versions"), expected: model.snapshot() };
    case "publish":
      return {
        answer: await post("publish", {}, one.environment),
        expected: model.publish(one.environment),
      };
    case "publishVersion":
      return {
        answer: await post("publish", { versionId: id }, one.environment),
        expected: model.publishVersion(one.environment, number),
      };
    case "rollback":
      return {
        answer: await post("rollback", {}, one.environment),
        expected: model.rollback(one.environment),
      };
    case "restore":
      return { answer: await post(`versions/${id}/restore`), expected: model.restore(number) };
    case "archive":
      return { answer: await post(`versions/${id}/archive`), expected: model.archive(number) };
  }
}

test("versions follow the rules for any sequence of actions", async () => {
  const property = fc.asyncProperty(
    fc.array(action, { minLength: 5, maxLength: 25 }),
    async (actions) => {
      const workflow = await createTestWorkflow(owner, { name: "A" });
      const path = `/api/v1/workflows/${workflow.id}`;
      const model = new Model("A");
      model.name(await listTestVersions(owner, workflow.id));
      const held = new Map<string, unknown>();
      for (const one of actions) {
        const { answer, expected } = await perform(path, model, one);
        if (typeof expected === "number") {
          expect([answer.status, answer.events]).toEqual([expected, []]);
        } else {
          expect([answer.status < 300, answer.events]).toEqual([true, expected]);
        }
        const history = await listTestVersions(owner, workflow.id);
        model.name(history);
        const shown = history.map(({ version, status, activeIn }) => ({
          version,
          status,
          activeIn,
        }));
        expect(shown).toEqual(model.history());
        expect(shown.filter(({ status }) => status === "draft").length).toBeLessThanOrEqual(1);
        const { data } = (await owner(`GET ${path}`)).body;
        expect(data.name).toBe(model.live);
        const deployed = Object.entries(data.environments).map(([name, one]: [string, any]) => {
          if (one === null) return [name, one];
          const { deployedBy, orphaned, ...version } = one;
          expect([deployedBy.id, orphaned]).toEqual([owner.userId, false]);
          return [name, version];
        });
        expect(Object.fromEntries(deployed)).toEqual(model.environments());
      }
      // The content and the creation time of a version never change.
      for (const { id, createdAt, author, changeSummary } of await listTestVersions(
        owner,
        workflow.id,
      )) {
        const { definition } = (await owner(`GET ${path}/versions/${id}`)).body.data;
        expect(definition.name).toBe(model.contentOf(id));
        held.set(id, { createdAt, author, changeSummary });
      }
      expect(held).toEqual(model.firstSeen);
    },
  );
  await fc.assert(property, { numRuns: tries(6, 60) });
}, 120_000);
