/** Edits on the canvas. Each adds one history entry, selects the changed steps and offers undo. */
import { useState } from "react";
import { notify } from "../../ui/toast.tsx";
import { type Definition, findGraph, findStep, placeOf, toKey } from "../graph/graph.ts";
import type { Spot } from "../graph/edit.ts";
import { TRIGGER, type Wire } from "../graph/layout.ts";
import type { Draft } from "./draft/use-draft.ts";
import {
  addStep,
  deleteSteps,
  deleteWire,
  type Direction,
  duplicateSteps,
  findSpot,
  linkSteps,
  loopOver,
  type Outcome,
  passNeighbour,
  pasteSteps,
  type Place,
  relocateSteps,
  swapColumn,
  toClipboard,
} from "./edits.ts";
import type { Offer } from "./pick/offers.ts";

export interface NewStep extends Place {
  /** The screen position of the picker. */
  readonly at: { readonly x: number; readonly y: number };
}

interface EditsInput {
  readonly definition: Definition;
  readonly draft: Draft;
  readonly chosen: readonly string[];
  readonly choose: (keys: readonly string[]) => void;
  /** The reason why editing is disabled. */
  readonly locked: string | undefined;
}

const BESIDE = { x: 16, y: -6 } as const;
const BELOW = { x: -30, y: 6 } as const;
const NOWHERE = { x: 400, y: 200 } as const;

export function useEdits({ definition, draft, chosen, choose, locked }: EditsInput) {
  const [adding, setAdding] = useState<NewStep>();
  const [wire, setWire] = useState<Wire>();
  const [linking, setLinking] = useState<string>();
  const key = chosen.at(-1);
  const goBack = (by: "undo" | "redo"): void => {
    if (locked !== undefined) return notify(locked);
    const touched = draft[by]();
    if (touched) choose(touched);
    return undefined;
  };
  const apply = (outcome: Outcome): void => {
    if (!outcome) return;
    if (locked !== undefined) return notify(locked);
    if ("refused" in outcome) return notify(outcome.refused);
    draft.act({ ...outcome, from: chosen });
    choose(outcome.chosen);
    setWire(undefined);
    if (outcome.note !== undefined) notify(outcome.note, () => goBack("undo"));
  };
  return {
    adding,
    wire,
    linking,
    setWire,
    setLinking,
    apply,
    undo: () => goBack("undo"),
    redo: () => goBack("redo"),
    closePicker: () => setAdding(undefined),
    /** Opens the picker next to the step, so that its successors stay visible. */
    ask: (how: Direction, at: DOMRect | undefined, from = key): void => {
      if (locked !== undefined) return notify(locked);
      const corner = at ? { x: at.right + BESIDE.x, y: at.top + BESIDE.y } : NOWHERE;
      return setAdding({ ...findSpot(definition, from, how), at: corner });
    },
    askAt: (spot: Spot, at: DOMRect): void => {
      const corner = { x: at.left + BELOW.x, y: at.bottom + BELOW.y };
      setAdding({ spot, ways: [], title: "Add step", at: corner });
    },
    pick: ({ step }: Offer, way: string | undefined): void => {
      if (!adding) return;
      const when = way === "then" ? undefined : way;
      apply(addStep(definition, step, { ...adding.spot, ...(when !== undefined && { when }) }));
      setAdding(undefined);
    },
    remove: () =>
      apply(wire ? deleteWire(definition, wire, chosen) : deleteSteps(definition, chosen)),
    link: (to: string): void => {
      if (linking !== undefined) apply(linkSteps(definition, linking, to));
      setLinking(undefined);
    },
    move: (keys: readonly string[], spot: Spot) => apply(relocateSteps(definition, keys, spot)),
    pass: (by: 1 | -1) => key !== undefined && apply(passNeighbour(definition, key, by)),
    swap: (by: 1 | -1) => key !== undefined && apply(swapColumn(definition, key, by)),
    duplicate: () => apply(duplicateSteps(definition, chosen)),
    loop: () => apply(loopOver(definition, chosen)),
    copy: (): string | undefined => {
      const steps = chosen.filter((one) => findStep(definition, one));
      return steps.length === 0 ? undefined : toClipboard(definition, steps);
    },
    paste: (text: string) => apply(pasteSteps(definition, text, key)),
    chooseAll: (): void => {
      const place = key === undefined || key === TRIGGER ? "" : placeOf(key);
      const steps = findGraph(definition, place)?.nodes ?? [];
      choose(steps.map(({ id }) => toKey(place, id)));
    },
  };
}

export type Edits = ReturnType<typeof useEdits>;
