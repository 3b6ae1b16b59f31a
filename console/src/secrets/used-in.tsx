import { Link } from "@tanstack/react-router";
import type { Schemas } from "../data/api.ts";
import { Entry } from "../ui/display/section.tsx";
import { toWords } from "../ui/words.ts";

export type Referrer = Schemas["Referrer"];

/** The resources that refer to something, with links if they have a page. */
export function UsedIn({ usedIn }: { readonly usedIn: readonly Referrer[] }) {
  if (usedIn.length === 0) return <p className="section-empty">Not used anywhere.</p>;
  return (
    <ul>
      {usedIn.map((one) => (
        <Entry key={`${one.kind} ${one.id}`} title={<Name {...one} />} about={toWords(one.kind)} />
      ))}
    </ul>
  );
}

function Name({ kind, id, name }: Referrer) {
  const params = { id };
  if (kind === "workflow")
    return (
      <Link to="/workflows/$id" params={params}>
        {name}
      </Link>
    );
  if (kind === "webhook")
    return (
      <Link to="/webhooks/$id" params={params}>
        {name}
      </Link>
    );
  if (kind === "connector")
    return (
      <Link to="/connectors/$id" params={params}>
        {name}
      </Link>
    );
  if (kind === "artifact")
    return (
      <Link to="/artifacts/$id" params={params}>
        {name}
      </Link>
    );
  return <>{name}</>;
}
