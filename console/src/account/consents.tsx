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
      { said: `Access revoked for ${name}.` },
    );
  };
  const consents = data?.data.consents ?? [];
  return (
    <Section
      title="Authorized applications"
      about="Applications that you gave access to your account."
    >
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {data && consents.length === 0 && (
        <p className="section-empty">
          No authorized applications. An application appears here after you give it access.
        </p>
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
              <Button
                aria-label={`Revoke access for ${consent.name}`}
                onClick={() => setEnding(consent)}
              >
                Revoke
              </Button>
            }
          />
        ))}
      </ul>
      {ending && (
        <Confirm
          title={`Revoke access for ${ending.name}`}
          act="Revoke access"
          onAct={() => end(ending)}
          onClose={() => setEnding(undefined)}
        >
          The application loses access immediately. It can ask you for access again.
        </Confirm>
      )}
    </Section>
  );
}
