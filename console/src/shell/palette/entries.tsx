/** Entries of the palette: acts of the screen, places, things and people by name, environments. */
import { useNavigate } from "@tanstack/react-router";
import {
  ArrowRight,
  Clock,
  CornerDownLeft,
  Layers,
  Ticket,
  UserRound,
  Workflow,
} from "lucide-react";
import { type ReactNode, useDeferredValue, useMemo } from "react";
import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { ENVIRONMENTS, place } from "../../data/place.ts";
import { Keys } from "../../ui/key.tsx";
import { toWords } from "../../ui/words.ts";
import type { Action } from "../actions.ts";
import { SCREENS } from "../areas.ts";
import { switchEnvironment } from "../bar/environment-switch.tsx";
import { rank } from "./rank.ts";
import { readRecents } from "./recents.ts";

export interface Entry {
  readonly id: string;
  readonly group: string;
  readonly icon: ReactNode;
  readonly label: string;
  /** Found by it too: the number of a ticket, the address of a person. */
  readonly also?: string;
  readonly hint?: ReactNode;
  readonly disabled?: string | undefined;
  readonly run: () => void;
}

const FOUND_MAX = 12;
const RECENT_MAX = 5;
const THINGS_MAX = 8;
const TYPED_MIN = 2;

/** Entries that answer to the typed text, best first; without one, those at hand. */
export function useEntries(actions: readonly Action[], text: string): readonly Entry[] {
  const fixed = useFixedEntries(actions);
  const things = useThings(useDeferredValue(text.trim()));
  return useMemo(() => {
    if (text.trim() === "") return fixed.filter(({ group }) => group !== "Environment");
    const seen = new Set<string>();
    return [...fixed, ...things]
      .map((entry) => ({ entry, score: rank(`${entry.label} ${entry.also ?? ""}`, text) }))
      .filter(({ entry: { id }, score }) => score >= 0 && !seen.has(id) && seen.add(id))
      .toSorted((a, b) => b.score - a.score)
      .slice(0, FOUND_MAX)
      .map(({ entry }) => entry);
  }, [fixed, things, text]);
}

function useFixedEntries(actions: readonly Action[]): readonly Entry[] {
  const navigate = useNavigate();
  const may = useMay();
  return useMemo(() => {
    const go = (to: string) => () => void navigate({ to });
    return [
      ...actions.filter((action) => !action.hidden && !action.keys?.startsWith("g ")).map(toEntry),
      ...readRecents()
        .filter(({ path }) => path !== location.pathname)
        .slice(0, RECENT_MAX)
        .map(({ path, name }): Entry => ({
          id: path,
          group: "Recent",
          icon: <Clock className="ico" />,
          label: name,
          run: go(path),
        })),
      ...SCREENS.filter(({ permission }) => may(permission)).map(({ to, label, keys }): Entry => ({
        id: to,
        group: "Go to",
        icon: <ArrowRight className="ico" />,
        label,
        hint: keys && <Keys keys={keys} />,
        run: go(to),
      })),
      ...ENVIRONMENTS.filter((environment) => environment !== place.environment).map(
        (environment): Entry => ({
          id: environment,
          group: "Environment",
          icon: <Layers className="ico" />,
          label: `Work in ${toWords(environment)}`,
          run: () => switchEnvironment(environment),
        }),
      ),
    ];
  }, [actions, may, navigate]);
}

/** Workflows, tickets and people whose name or number is like the text. */
function useThings(text: string): readonly Entry[] {
  const navigate = useNavigate();
  const may = useMay();
  const isAsked = text.length >= TYPED_MIN;
  const query = { q: text, limit: THINGS_MAX };
  const workflows = useOp(
    "workflows.list",
    { query },
    { enabled: isAsked && may("workflows:read") },
  );
  const incidents = useOp(
    "incidents.list",
    { query },
    { enabled: isAsked && may("incidents:read") },
  );
  const people = useOp("users.list", { query: { limit: 200 } }, { enabled: may("users:read") });
  return useMemo(() => {
    if (!isAsked) return [];
    const go = (to: string) => () => void navigate({ to });
    const isLike = (name: string): boolean => name.toLowerCase().includes(text.toLowerCase());
    return [
      ...(workflows.data?.data ?? []).map(({ id, name }): Entry => ({
        id: `/workflows/${id}`,
        group: "Workflow",
        icon: <Workflow className="ico" />,
        label: name,
        run: go(`/workflows/${id}`),
      })),
      ...(incidents.data?.data ?? []).map(({ number, title }): Entry => ({
        id: `/tickets/${number}`,
        group: number,
        icon: <Ticket className="ico" />,
        label: title,
        also: number,
        run: go(`/tickets/${number}`),
      })),
      ...(people.data?.data ?? [])
        .filter(({ name, email }) => isLike(`${name} ${email}`))
        .map(({ id, name, email }): Entry => ({
          id,
          group: "Person",
          icon: <UserRound className="ico" />,
          label: name,
          also: email,
          hint: <span className="muted">{email}</span>,
          run: () => void navigator.clipboard.writeText(email),
        })),
    ];
  }, [isAsked, text, workflows.data, incidents.data, people.data, navigate]);
}

function toEntry({ keys, label, run, disabled }: Action): Entry {
  return {
    id: `action:${keys ?? label}`,
    group: "Here",
    icon: <CornerDownLeft className="ico" />,
    label,
    hint: keys && <Keys keys={keys} />,
    disabled,
    run,
  };
}
