import { useState } from "react";
import { type Schemas, useOp } from "../../data/api.ts";
import { useMay, useRefusals } from "../../data/people.ts";
import { perform } from "../../data/use-command.ts";
import { useActions } from "../../shell/actions.ts";
import { Section } from "../../ui/display/section.tsx";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { RevokeDialog, SecretDialog } from "./credential-dialog.tsx";
import { NewTokenDialog } from "./new-token.tsx";
import { type ApiToken, TokenEntry } from "./token-entry.tsx";
import { Button } from "../../ui/form/button.tsx";

type NewToken = Schemas["NewApiToken"];

/** The API tokens that act on the user's behalf. */
export function Tokens() {
  const may = useMay();
  const refusalOf = useRefusals();
  const { data, error, isPending, refetch } = useOp(
    "tokens.list",
    { query: { limit: 200 } },
    { enabled: may("tokens.list") },
  );
  const [isNew, setNew] = useState(false);
  const [made, setMade] = useState<NewToken>();
  const [ending, setEnding] = useState<ApiToken>();
  const reason = refusalOf("tokens.revoke");
  useActions([{ keys: "n", label: "New API token", run: () => setNew(true), disabled: reason }]);
  const end = (id: string, name: string): void => {
    setEnding(undefined);
    void perform("tokens.revoke", { params: { id } }, { said: `Token ${name} revoked.` });
  };
  const renew = (id: string) =>
    perform("tokens.rotate", { body: { id } }, { onDone: ({ data: token }) => setMade(token) });
  return (
    <Section
      title="API tokens"
      about="Apps and scripts use an API token to act as you in this workspace, with the permissions of the token."
      act={
        <Button look="main" refusal={reason} onClick={() => setNew(true)}>
          New token
        </Button>
      }
    >
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && may("tokens.list") && <Loading rows={2} />}
      {data?.data.length === 0 && <p className="section-empty">No API tokens yet.</p>}
      <ul>
        {data?.data.map((token) => (
          <TokenEntry
            key={token.id}
            token={token}
            act={
              <>
                <Button onClick={() => void renew(token.id)}>Rotate</Button>
                <Button aria-label={`Revoke ${token.name}`} onClick={() => setEnding(token)}>
                  Revoke
                </Button>
              </>
            }
          />
        ))}
      </ul>
      {isNew && (
        <NewTokenDialog
          onClose={() => setNew(false)}
          onMade={(token) => {
            setNew(false);
            setMade(token);
          }}
        />
      )}
      {made && (
        <SecretDialog
          title={made.name}
          about="Copy the token now. It is not shown again."
          lines={{ Token: made.token }}
          onClose={() => setMade(undefined)}
        />
      )}
      {ending && (
        <RevokeDialog
          name={ending.name}
          onAct={() => end(ending.id, ending.name)}
          onClose={() => setEnding(undefined)}
        />
      )}
    </Section>
  );
}
