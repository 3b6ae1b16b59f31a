/** Shows resources in events by name instead of id. */
import { Link } from "@tanstack/react-router";
import { Copy } from "lucide-react";
import { createContext, useContext } from "react";
import { useNames } from "../data/names/names.ts";
import { usePathOf } from "../data/people.ts";
import { copyText } from "../ui/behaviour/copy.ts";
import { toWords } from "../ui/words.ts";
import { PlainButton } from "../ui/form/button.tsx";

export interface KnownThing {
  readonly name: string;
  readonly type: string;
  readonly number?: string | null;
}

/** Resources known to a screen by id, in addition to people and teams. */
export const KnownThings = createContext<ReadonlyMap<string, KnownThing>>(new Map());

const ID = /^([a-z]{2,4})_[0-9a-hjkmnp-tv-z]{20,}$/;

/** Id prefixes of resources that have a screen or a name. */
const TYPES: Readonly<Record<string, string>> = {
  art: "artifact",
  cat: "catalog_item",
  chg: "change",
  con: "connector",
  dsh: "dashboard",
  inc: "incident",
  kb: "article",
  prb: "problem",
  run: "run",
  tem: "team",
  usr: "user",
  wf: "workflow",
  whk: "webhook",
};

export const isId = (value: unknown): value is string =>
  typeof value === "string" && ID.test(value);

/** Shows a resource name with a link and the id as a tooltip, or the id with a copy button if the name is unknown. */
export function ThingName({ id }: { readonly id: string }) {
  const known = useContext(KnownThings).get(id);
  const person = useNames()(id);
  const pathOf = usePathOf();
  const type = known?.type ?? TYPES[ID.exec(id)?.[1] ?? ""];
  const name = known?.name ?? person;
  if (name === undefined) return <IdButton id={id} type={type} />;
  const path = type === undefined ? undefined : pathOf(type, id, known?.number);
  if (path === undefined) return <span title={id}>{name}</span>;
  return (
    <Link to={path} className="link" title={id}>
      {name}
    </Link>
  );
}

const SHOWN_CHARACTERS = 6;

/** A shortened id that is copied in full. */
export function IdButton({
  id,
  type,
}: {
  readonly id: string;
  readonly type?: string | undefined;
}) {
  return (
    <PlainButton
      type="button"
      className="id-button"
      title={`Copy ${id}`}
      onClick={() => void copyText(id, "ID")}
    >
      {type !== undefined && `${toWords(type)} `}
      <span className="mono">…{id.slice(-SHOWN_CHARACTERS)}</span>
      <Copy />
    </PlainButton>
  );
}
