import { isDeepStrictEqual } from "node:util";
import Type from "typebox";
import { userIdOf } from "#kernel/access/caller.ts";
import { Failure, invalidField, NotFound } from "#kernel/operation/failure.ts";
import { command, query } from "#kernel/operation/operation.ts";
import { item, noContent } from "#kernel/operation/response.ts";
import { object } from "#kernel/schema/schema.ts";
import {
  Key,
  Preference,
  PreferenceDeleted,
  PreferenceSet,
  PreferencesOwn,
  TooManyPreferences,
  VALUE_CHARACTERS_MAX,
} from "./preference.ts";
import * as store from "./store.ts";

const ByKey = object({ key: Key });
const example = { params: { key: "views.incidents" } };

export const listPreferences = query({
  id: "preferences.list",
  route: "GET /api/v1/me/preferences",
  summary: "List your preferences in this workspace",
  permission: PreferencesOwn,
  response: item(Type.Object({ preferences: Type.Array(Preference) }, { title: "Preferences" })),
  run: async ({ tx, caller }) => ({ preferences: await store.list(tx, userIdOf(caller)) }),
});

export const getPreference = query({
  id: "preferences.get",
  route: "GET /api/v1/me/preferences/{key}",
  summary: "Get one of your preferences",
  permission: PreferencesOwn,
  params: ByKey,
  response: item(Preference),
  fails: [NotFound],
  example,
  async run({ tx, caller }, { params: { key } }) {
    const found = await store.find(tx, userIdOf(caller), key);
    if (!found) throw new Failure(NotFound);
    return found;
  },
});

export const setPreference = command({
  id: "preferences.set",
  effect: "ordinary",
  route: "PUT /api/v1/me/preferences/{key}",
  summary: "Set one of your preferences",
  description:
    "Any JSON of at most 16,384 characters. A user can have up to 200 preferences in a workspace. If nothing changes, no event is appended.",
  permission: PreferencesOwn,
  params: ByKey,
  body: object({ value: Type.Unknown() }),
  allowNoop: true,
  response: item(Preference),
  emits: [PreferenceSet],
  fails: [TooManyPreferences],
  example: { ...example, body: { value: { columns: ["number", "title"], sort: "-createdAt" } } },
  async run(ctx, { params: { key }, body }) {
    const value = body.value ?? null;
    if (JSON.stringify(value).length > VALUE_CHARACTERS_MAX) {
      throw invalidField("/value", `must have at most ${VALUE_CHARACTERS_MAX} characters`);
    }
    const userId = userIdOf(ctx.caller);
    const before = await store.lock(ctx.tx, userId, key);
    ctx.expectRevision(before?.revision ?? 0);
    if (before && isDeepStrictEqual(before.value, value)) return before;
    const after = await store.upsert(ctx.tx, { userId, key, value, now: ctx.now });
    if (!after) throw new Failure(TooManyPreferences);
    ctx.emit(PreferenceSet, { id: userId, displayName: key }, { userId, key });
    return after;
  },
});

export const deletePreference = command({
  id: "preferences.delete",
  route: "DELETE /api/v1/me/preferences/{key}",
  summary: "Delete one of your preferences",
  permission: PreferencesOwn,
  params: ByKey,
  response: noContent(),
  emits: [PreferenceDeleted],
  fails: [NotFound],
  example,
  async run(ctx, { params: { key } }) {
    const userId = userIdOf(ctx.caller);
    const before = await store.lock(ctx.tx, userId, key);
    if (!before) throw new Failure(NotFound);
    ctx.expectRevision(before.revision);
    await store.remove(ctx.tx, userId, key);
    ctx.emit(PreferenceDeleted, { id: userId, displayName: key }, { userId, key });
  },
});
