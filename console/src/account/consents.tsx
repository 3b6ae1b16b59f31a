import { AppWindow } from "lucide-react";
import { useState } from "react";
import { type Schemas, useOp } from "../data/api.ts";
import { useMay } from "../data/people.ts";
import { perform } from "../data/use-command.ts";
import { Entry, Section } from "../ui/display/section.tsx";
import { ErrorNotice } from "../ui/feedback.tsx";
import { Confirm } from "../ui/overlay/confirm.tsx";
import { Ago } from "../ui/time.tsx";
import { summariseScopes } from "./tokens/scopes.ts";
import { Button } from "../ui/form/button.tsx";

type Consent = Schemas["OAuthConsents"]["consents"][number];

/** The applications that may act on the user's behalf. */
export function Consents() {
  const may = useMay();
  const { data, error, refetch } = useOp("oauth.list_consents", undefined, {
    enabled: may("profile"),
  });
  const [ending, setEnding] = useState<Consent>();
  const end = ({ clientId, name }: Consent): void => {
    setEnding(undefined);
    void perform(
      "oauth.revoke_consent",
      { params: { clientId } },
      { said: `${name} no longer acts for you.` },
    );
  };
  const consents = data?.data.consents ?? [];
  return (
    <Section title="Applications you allowed" about="They asked, and you agreed.">
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {data && consents.length === 0 && (
        <p className="section-empty">You have allowed no application here.</p>
      )}
      <ul>
        {consents.map((consent) => (
          <Entry
            key={consent.clientId}
            icon={<AppWindow className="ico" />}
            title={consent.name}
            about={
              <>
                {summariseScopes(consent.scopes)} · since <Ago at={consent.grantedAt} />
              </>
            }
            act={
              <Button aria-label={`Take back ${consent.name}`} onClick={() => setEnding(consent)}>
                Revoke
              </Button>
            }
          />
        ))}
      </ul>
      {ending && (
        <Confirm
          title={`Take back what ${ending.name} may do`}
          act="Take it back"
          onAct={() => end(ending)}
          onClose={() => setEnding(undefined)}
        >
          It is refused from now on. It may ask you again.
        </Confirm>
      )}
    </Section>
  );
}
