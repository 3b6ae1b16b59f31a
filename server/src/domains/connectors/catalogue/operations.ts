import Type, { type Static } from "typebox";
import { Failure, NotFound } from "#kernel/operation/failure.ts";
import { query } from "#kernel/operation/operation.ts";
import { pageQuery, toPage } from "#kernel/operation/pagination.ts";
import { item, page } from "#kernel/operation/response.ts";
import { line, nullable, object } from "#kernel/schema/schema.ts";
import { ActionDescription, describeAction } from "../invocation/list-actions.ts";
import { ConnectorsRead } from "../permissions.ts";
import { findPreset, listPresetIds, type LoadedPreset } from "./catalogue.ts";
import { inputSchemaOf } from "./input-type.ts";
import { Preset, PRESET_CATEGORIES } from "./preset.ts";

const summaryFields = {
  id: Type.String(),
  title: Type.String(),
  icon: Type.String(),
  category: Type.Enum([...PRESET_CATEGORIES]),
  guide: Type.String(),
  type: Type.String({ description: "For connectors of this preset" }),
  authKinds: Type.Array(Type.String()),
  actions: Type.Integer(),
  triggers: Type.Integer(),
};

const PresetSummary = Type.Object(summaryFields, { title: "ConnectorPresetSummary" });

const { properties } = Preset;
const PresetTriggerDescription = Type.Object(
  {
    id: Type.String(),
    title: Type.String(),
    kind: Type.Enum(["poll", "hook"]),
    input: Type.Record(Type.String(), Type.Unknown(), { description: "A JSON Schema" }),
  },
  { title: "ConnectorPresetTrigger" },
);

const PresetDetail = Type.Object(
  {
    ...summaryFields,
    baseUrl: nullable(Type.String({ description: "Can contain parameters in braces" })),
    config: Type.Record(Type.String(), Type.Unknown(), {
      description: "Initial configuration of a connector of this preset",
    }),
    parameters: properties.parameters,
    auth: Type.Array(
      Type.Object({
        kind: Type.String(),
        title: Type.String(),
        hint: nullable(Type.String()),
        fill: Type.Record(Type.String(), Type.String(), {
          description: "Fields that the preset already contains",
        }),
      }),
    ),
    rateLimit: nullable(Type.Object({ requests: Type.Integer(), perMs: Type.Integer() })),
    actions: Type.Array(ActionDescription),
    triggers: Type.Array(PresetTriggerDescription),
  },
  { title: "ConnectorPreset" },
);

const PRESETS = "presets of connectors";

export const listPresets = query({
  id: "connectors.presets",
  route: "GET /api/v1/connectors/presets",
  summary: "List connector presets by name",
  permission: ConnectorsRead,
  environmentScoped: false,
  query: object({
    ...pageQuery,
    q: Type.Optional(line(200, "Words in the title, the category or the names of actions")),
    category: Type.Optional(Type.Enum([...PRESET_CATEGORIES])),
  }),
  response: page(PresetSummary),
  async run({ services }, { query: { limit, after, q, category } }) {
    const [start = ""] = after === undefined ? [] : services.cursors.decode(PRESETS, after);
    const rows = listPresetIds()
      .filter((id) => id > String(start))
      .map((id) => presetOf(id))
      .filter((one) => category === undefined || one.category === category)
      .filter((one) => q === undefined || isFound(one, q));
    return toPage(rows.slice(0, limit + 1), limit, toSummary, ({ id }) =>
      services.cursors.encode(PRESETS, [id]),
    );
  },
});

export const getPreset = query({
  id: "connectors.get_preset",
  route: "GET /api/v1/connectors/presets/{preset}",
  summary: "Get a connector preset with its authentication, actions and triggers",
  description:
    "Create a connector from it with `POST /api/v1/connectors`, with its `type` and `config`. In `auth`, send only the fields that `fill` does not contain.",
  permission: ConnectorsRead,
  environmentScoped: false,
  params: object({ preset: line(60) }),
  response: item(PresetDetail),
  example: { params: { preset: "github" } },
  async run(_ctx, { params }) {
    return toDetail(presetOf(params.preset));
  },
});

function presetOf(id: string): LoadedPreset {
  const preset = findPreset(id);
  if (!preset) throw new Failure(NotFound);
  return preset;
}

function isFound({ title, category, actions }: LoadedPreset, q: string): boolean {
  const text = [title, category, ...actions.keys()].join(" ").toLowerCase();
  return q
    .toLowerCase()
    .split(/\s+/)
    .every((part) => text.includes(part));
}

function toSummary(preset: LoadedPreset): Static<typeof PresetSummary> {
  const { id, title, icon, category, guide, connector, auth, actions, triggers = [] } = preset;
  return {
    id,
    title,
    icon,
    category,
    guide,
    type: connector?.type ?? "preset",
    authKinds: auth.map(({ kind }) => kind),
    actions: actions.size,
    triggers: triggers.length,
  };
}

function toDetail(preset: LoadedPreset): Static<typeof PresetDetail> {
  const { id, connector, baseUrl = null, auth, rateLimit = null, triggers = [] } = preset;
  return {
    ...toSummary(preset),
    baseUrl,
    config: connector?.config ?? { preset: id },
    parameters: preset.parameters ?? [],
    auth: auth.map(({ kind, title, hint = null, fill = {} }) => ({ kind, title, hint, fill })),
    rateLimit,
    actions: [...preset.actions.values()].map((one) => describeAction(one, "type")),
    triggers: triggers.map(({ id: name, title, input = {}, hook }) => ({
      id: name,
      title,
      kind: hook ? "hook" : "poll",
      input: inputSchemaOf(input),
    })),
  };
}
