import type { Sample } from "#kernel/testing/samples.ts";

let count = 0;

export const samples: readonly Sample[] = [
  {
    operation: "hooks.handle",
    arrange: async (owner) => {
      count += 1;
      const name = `handler-${count}`;
      await owner("POST /api/flowsdk/artifacts", {
        name,
        artifactType: "webhook_handler",
        moduleKey: "samples",
        status: "active",
        detail: { scriptSource: "return { seen: input.body };", openAddress: true },
      });
      return {
        params: { workspace: "default", moduleKey: "samples", name },
        body: { any: "thing" },
      };
    },
  },
];
