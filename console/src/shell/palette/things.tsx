/** Search results of all types from the server, with their actions. */
import { useNavigate } from "@tanstack/react-router";
import {
  AppWindow,
  BookOpen,
  Box,
  ChartColumn,
  FileCode,
  type LucideIcon,
  Package,
  Plug,
  Play,
  ShoppingCart,
  Table,
  TableProperties,
  Ticket,
  UserRound,
  UsersRound,
  Workflow,
} from "lucide-react";
import { useMemo } from "react";
import { type Schemas, useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { BASE_PATH, place } from "../../data/place.ts";
import { pathOf } from "../../data/resource-path.ts";
import { copyText } from "../../ui/behaviour/copy.ts";
import { useDebounced } from "../../ui/behaviour/debounce.ts";
import { toWords } from "../../ui/words.ts";
import type { Entry } from "./entry.ts";

type Hit = Schemas["SearchHit"];

const PAUSE_MS = 120;
const TYPED_MIN = 2;
const TYPED_MAX = 200;
const HITS_MAX = 20;

const ICONS: Readonly<Record<string, LucideIcon>> = {
  app: AppWindow,
  article: BookOpen,
  artifact: FileCode,
  catalog_item: ShoppingCart,
  change: Ticket,
  connector: Plug,
  dashboard: ChartColumn,
  incident: Ticket,
  pack: Package,
  person: UserRound,
  record: TableProperties,
  problem: Ticket,
  request: Ticket,
  run: Play,
  table: Table,
  team: UsersRound,
  workflow: Workflow,
};

/** Searches visible records by words, id or number. */
export function useThings(text: string) {
  const navigate = useNavigate();
  const may = useMay();
  const late = useDebounced(text, PAUSE_MS);
  const isAsked = may("search.find") && text.length >= TYPED_MIN && late.length >= TYPED_MIN;
  const { data, error, isFetching, isPlaceholderData } = useOp(
    "search.find",
    { query: { q: late.slice(0, TYPED_MAX), limit: HITS_MAX } },
    { enabled: isAsked },
  );
  // Results of an earlier search text are only shown if they visibly match the current one.
  const isFound = late === text && !isPlaceholderData;
  const things = useMemo(() => {
    const go = (to: string): void => void navigate({ to });
    return isAsked ? (data?.data.hits ?? []).map((hit) => toEntry(hit, isFound, go)) : [];
  }, [data, isAsked, isFound, navigate]);
  const isWaited = may("search.find") && text.length >= TYPED_MIN && late !== text;
  return {
    things,
    isSearching: isWaited || (isAsked && isFetching),
    error: isAsked ? error : null,
  };
}

function toEntry(hit: Hit, isFound: boolean, go: (to: string) => void): Entry {
  const { kind, id, title, ref, detail, table } = hit;
  const Icon = ICONS[kind] ?? Box;
  const path = pathOf(kind, id, table ?? ref);
  const isAside = kind === "person" || kind === "record";
  const act = path === undefined ? actOn(hit) : { run: () => go(path) };
  const hint = act.hint ?? ref ?? (isAside ? detail : null);
  return {
    id: path ?? id,
    group: toWords(kind),
    icon: <Icon className="ico" />,
    label: title,
    also: [ref, id, isAside ? detail : null].filter((one) => one !== null).join(" "),
    isFound,
    hint: hint !== null && <span className="muted palette-hint">{hint}</span>,
    run: act.run,
  };
}

/** Returns the action for a record without a page. */
function actOn({ kind, id, title, ref }: Hit): Pick<Entry, "run" | "hint"> {
  if (kind === "app" && ref !== null)
    return { run: () => location.assign(`${BASE_PATH}/apps/${place.workspace}/${ref}`) };
  return { hint: "Copy id", run: () => void copyText(id, `The id of ${title} is`) };
}
