import "./workspace.css";
import { useState } from "react";
import {
  type ApiToken,
  RevokeDialog,
  ScopesField,
  SecretDialog,
  TokenEntry,
} from "../account/index.ts";
import { type Schemas, useOp } from "../data/api.ts";
import { useForm } from "../data/form/use-form.ts";
import { useMay, useMe, useRefusals } from "../data/people.ts";
import { perform } from "../data/use-command.ts";
import { useTitle } from "../shell/title.ts";
import { Entry, Section } from "../ui/display/section.tsx";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Confirm } from "../ui/overlay/confirm.tsx";
import { Ago } from "../ui/time.tsx";
import { count } from "../ui/words.ts";
import { Button } from "../ui/form/button.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { ListField } from "../ui/form/list-field.tsx";
import { TextField } from "../ui/form/text-field.tsx";

type Registered = Schemas["RegisteredOAuthApplication"];
type Application = Schemas["ListedOAuthApplication"];

/** Programs with access to the workspace: API tokens of all members, and OAuth applications. */
export function Programs() {
  useTitle("API access");
  const may = useMay();
  return (
    <div className="scroll folio">
      <div className="folio-body">
        <h1>API access</h1>
        {may("oauth.list_applications") && <Applications />}
        {may("users.list_tokens") && <AllTokens />}
      </div>
    </div>
  );
}

function AllTokens() {
  const me = useMe();
  const { data, error, isPending, refetch } = useOp("users.list_tokens", { query: { limit: 200 } });
  const [ending, setEnding] = useState<ApiToken>();
  const end = ({ id, name }: ApiToken): void => {
    setEnding(undefined);
    void perform("users.revoke_token", { params: { id } }, { said: `Token ${name} revoked.` });
  };
  const tokens = data?.data ?? [];
  return (
    <Section
      title="API tokens of all members"
      anchor="tokens"
      about={
        tokens.length === 0
          ? "No API tokens yet. Members create tokens in their account."
          : `${count(tokens.length, "token")}. A token never has more permissions than its owner.`
      }
    >
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={3} />}
      <ul>
        {tokens.map((token) => (
          <TokenEntry
            key={token.id}
            token={token}
            whose={token.user.id === me?.user.id ? "Yours" : token.user.name}
            act={
              <Button aria-label={`Revoke ${token.name}`} onClick={() => setEnding(token)}>
                Revoke
              </Button>
            }
          />
        ))}
      </ul>
      {ending && (
        <RevokeDialog
          name={ending.name}
          onAct={() => end(ending)}
          onClose={() => setEnding(undefined)}
        />
      )}
    </Section>
  );
}

function Applications() {
  const refusalOf = useRefusals();
  const { data, error, isPending, refetch } = useOp("oauth.list_applications", {
    query: { limit: 200 },
  });
  const [isNew, setNew] = useState(false);
  const [made, setMade] = useState<Registered>();
  const [ending, setEnding] = useState<Application>();
  const reason = refusalOf("oauth.rotate_application_secret");
  const rotate = (clientId: string) =>
    perform(
      "oauth.rotate_application_secret",
      { params: { clientId } },
      { onDone: ({ data: application }) => setMade(application) },
    );
  const remove = ({ clientId, name }: Application): void => {
    setEnding(undefined);
    void perform(
      "oauth.delete_application",
      { params: { clientId } },
      { said: `${name} removed, and all access that users gave it.` },
    );
  };
  return (
    <Section
      title="OAuth applications"
      anchor="applications"
      about="Applications that use the API on behalf of users, with their consent."
      act={
        <Button look="main" refusal={reason} onClick={() => setNew(true)}>
          Register application
        </Button>
      }
    >
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={2} />}
      {data?.data.length === 0 && <p className="section-empty">No OAuth applications yet.</p>}
      <ul>
        {data?.data.map((application) => (
          <ApplicationEntry
            key={application.clientId}
            application={application}
            reason={reason}
            onRotate={() => void rotate(application.clientId)}
            onRemove={() => setEnding(application)}
          />
        ))}
      </ul>
      {isNew && (
        <NewApplication
          onClose={() => setNew(false)}
          onMade={(application) => {
            setNew(false);
            setMade(application);
          }}
        />
      )}
      {made && (
        <SecretDialog
          title={made.name}
          about="Copy the secret now. It is not shown again."
          lines={{ "Client ID": made.clientId, "Client secret": made.clientSecret }}
          onClose={() => setMade(undefined)}
        />
      )}
      {ending && (
        <Confirm
          title={`Remove ${ending.name}`}
          act="Remove"
          onAct={() => remove(ending)}
          onClose={() => setEnding(undefined)}
        >
          All its tokens are revoked immediately, for all users who gave it access.
        </Confirm>
      )}
    </Section>
  );
}

function ApplicationEntry(props: {
  readonly application: Application;
  readonly reason: string | undefined;
  readonly onRotate: () => void;
  readonly onRemove: () => void;
}) {
  const { name, clientId, allowedScopes, updatedAt } = props.application;
  const off = { refusal: props.reason };
  return (
    <Entry
      title={name}
      about={
        <>
          <span className="mono">{clientId}</span> · {count(allowedScopes.length, "permission")} at
          most · changed <Ago at={updatedAt} />
        </>
      }
      act={
        <>
          <Button {...off} onClick={props.onRotate}>
            Rotate secret
          </Button>
          <Button {...off} aria-label={`Remove ${name}`} onClick={props.onRemove}>
            Remove
          </Button>
        </>
      }
    />
  );
}

function NewApplication(props: {
  readonly onClose: () => void;
  readonly onMade: (application: Registered) => void;
}) {
  const me = useMe();
  const form = useForm("oauth.create_application", {
    initial: { allowedScopes: ["profile"] },
    onDone: ({ data }) => props.onMade(data),
  });
  return (
    <FormDialog
      form={form}
      title="Register application"
      act="Register"
      isWide
      onClose={props.onClose}
    >
      <TextField
        {...form.field("name")}
        help="Shown to users on the consent page, for example “Inventory app”."
      />
      <ListField
        {...form.field("redirectUris")}
        label="Redirect URIs"
        help="One per line. Example: https://app.example.com/callback"
        rows={3}
      />
      <ScopesField {...form.field("allowedScopes")} offered={me?.permissions ?? []} />
    </FormDialog>
  );
}
