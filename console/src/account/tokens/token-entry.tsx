import { Bot } from "lucide-react";
import type { ReactNode } from "react";
import type { Schemas } from "../../data/api.ts";
import { Entry } from "../../ui/display/section.tsx";
import { Ago, useNow } from "../../ui/time.tsx";
import { summariseScopes } from "./scopes.ts";
import { toDay } from "../../ui/words.ts";

/** A token in the lists of both types. */
export type ApiToken = Pick<
  Schemas["ListedApiToken"],
  "id" | "name" | "scopes" | "lastUsedAt" | "expiresAt" | "ipAllowlist"
>;

/** A token: scopes, last use and expiry. */
export function TokenEntry(props: {
  readonly token: ApiToken;
  readonly whose?: string;
  readonly act?: ReactNode;
}) {
  const { name, scopes, lastUsedAt, expiresAt, ipAllowlist } = props.token;
  const nowMs = useNow();
  const isOver = expiresAt !== null && Date.parse(expiresAt) <= nowMs;
  return (
    <Entry
      icon={<Bot className="ico" />}
      title={
        <>
          {name}
          {isOver && <span className="tag bad">Expired</span>}
          {expiresAt === null && <span className="tag warn">Never expires</span>}
        </>
      }
      about={
        <>
          {props.whose !== undefined && <>{props.whose} · </>}
          <span title={scopes.join(", ")}>{summariseScopes(scopes)}</span> ·{" "}
          {lastUsedAt ? (
            <>
              used <Ago at={lastUsedAt} />
            </>
          ) : (
            "never used"
          )}
          {expiresAt !== null && !isOver && <> · until {toDay(expiresAt)}</>}
          {ipAllowlist && <> · only from {ipAllowlist.join(", ")}</>}
        </>
      }
      act={props.act}
    />
  );
}
