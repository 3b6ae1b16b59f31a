import { Link } from "@tanstack/react-router";
import { toWords } from "../../ui/words.ts";
import { useOp } from "../api.ts";
import { useMay } from "../people.ts";
import type { Environment } from "../place.ts";

const LISTED_MAX = 200;
const NAMED_MAX = 6;

/** Lists the secrets and variables for which an environment uses the production value. */
export function ProductionValues({ environment }: { readonly environment: Environment }) {
  const may = useMay();
  const query = { query: { limit: LISTED_MAX } };
  const isOther = environment !== "production";
  const secrets = useOp("secrets.list", query, { enabled: isOther && may("secrets.list") }).data;
  const variables = useOp("variables.list", query, {
    enabled: isOther && may("variables.list"),
  }).data;
  if (!isOther) return null;
  const shared = [
    ...(secrets?.data ?? []).filter((one) => !one.environments.includes(environment)),
    ...(variables?.data ?? []).filter((one) => one.environments[environment] === undefined),
  ]
    .filter(({ ownValuesOnly }) => !ownValuesOnly)
    .map(({ name }) => name);
  if (shared.length === 0) return null;
  const more = shared.length - NAMED_MAX;
  return (
    <p className="muted">
      {toWords(environment)} uses production’s value of {shared.slice(0, NAMED_MAX).join(", ")}
      {more > 0 && ` and ${more} more`}. <Link to="/secrets">Secrets and variables</Link>
    </p>
  );
}
