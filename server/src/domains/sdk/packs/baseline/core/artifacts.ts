import type { Descriptor } from "../../descriptor.ts";

export const artifactDefinitions: NonNullable<Descriptor["artifactDefinitions"]> = {
  "normalise-contact": {
    name: "normalise-contact",
    artifactType: "data_transformer",
    moduleKey: "core",
    description: "Converts a contact of another system to the format of our table",
    status: "active",
    detail: {
      scriptSource: `export default defineArtifact({
  id: "normalise-contact",
  version: "1.0.0",
  inputs: {
    name: { type: "string" },
    firstName: { type: "string" },
    lastName: { type: "string" },
    email: { type: "string" },
    phone: { type: "string" },
  },
  outputs: {
    name: { type: "string", required: true },
    email: { type: "string" },
    phone: { type: "string" },
  },
  async execute(input) {
    const tidy = (text) => (text ?? "").trim().replace(/\\s+/g, " ");
    const name = tidy(input.name) || tidy(\`\${input.firstName ?? ""} \${input.lastName ?? ""}\`);
    const email = tidy(input.email).toLowerCase();
    const phone = tidy(input.phone).replace(/[^\\d+]/g, "");
    return { name: name || email, email: email || null, phone: phone || null };
  },
});`,
    },
  },
  "warranty-watch": {
    name: "warranty-watch",
    artifactType: "scheduled_job",
    moduleKey: "core",
    description:
      "Publishes assets with a warranty that ends within 30 days to the topic assets.warranty. Disabled by default",
    status: "disabled",
    detail: {
      cron: "0 7 * * MON",
      timezone: "UTC",
      retryPolicy: { retries: 3 },
      scriptSource: `const today = new Date(input.dueAt ?? Date.now());
const day = (date) => date.toISOString().slice(0, 10);
const end = new Date(today.getTime() + 30 * 86_400_000);
const assets = await context.tables.list("assets", {
  filter: { warrantyUntil: { gte: day(today), lte: day(end) }, status: { ne: "retired" } },
  sort: "warrantyUntil",
});
for (const { id, name, warrantyUntil } of assets) {
  await context.events.publish("assets.warranty", {
    type: "asset.warranty_ending",
    payload: { assetId: id, name, warrantyUntil },
    deduplicationKey: \`\${id} \${warrantyUntil} \${day(today)}\`,
  });
}
context.log.info("warranties looked at", { ending: assets.length });
return { ending: assets.length };`,
    },
  },
};
