import { toWords } from "../../ui/words.ts";
import { KIND_LABELS } from "./catalog.ts";
import type { Component } from "./draft.ts";

const CHARACTERS_MAX = 40;

/** Returns a component's label, or its type. */
export function labelOfComponent(component: Component): string {
  const { title, label, text, openLabel, name, alt } = component;
  const said = [title, label, text, openLabel, name, alt].find(
    (one): one is string => typeof one === "string" && one.trim() !== "",
  );
  if (said === undefined) {
    const { dataSource } = component;
    return typeof dataSource === "string" ? toWords(dataSource) : kindWords(component);
  }
  const plain = said
    .replaceAll(/\{\{[\s\S]*?\}\}/g, "…")
    .replaceAll(/[#*_`>]/g, "")
    .trim();
  return plain.length > CHARACTERS_MAX ? `${plain.slice(0, CHARACTERS_MAX - 1)}…` : plain;
}

export const kindWords = ({ type }: Component): string => KIND_LABELS[type] ?? toWords(type);

export function describeComponent(component: Component): string {
  const label = labelOfComponent(component);
  const kind = kindWords(component);
  return label === kind ? kind : `${kind} “${label}”`;
}
