/**
 * The packs that come with the platform. Each is a descriptor like any other, and its content stands in
 * one file for each kind: a domain that brings a new kind adds its file, names it in the pack, and
 * raises the version.
 */
import type { Descriptor } from "../descriptor.ts";
import { corePack } from "./core/pack.ts";
import { itsmPack } from "./itsm/pack.ts";

export const BASELINE_KEYS = ["core_baseline_pack", "itsm_baseline_pack"] as const;

export const BASELINE: Readonly<Record<(typeof BASELINE_KEYS)[number], Descriptor>> = {
  core_baseline_pack: corePack,
  itsm_baseline_pack: itsmPack,
};
