import "./workspace.css";
import { Link } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useState } from "react";
import { call, etagOf, invalidate, type Input, type Schemas } from "../data/api.ts";
import { useMe } from "../data/people.ts";
import { place } from "../data/place.ts";
import { useAttempt } from "../shell/sign-in/card.tsx";
import { useTitle } from "../shell/title.ts";
import { CopyLine } from "../ui/copy-line.tsx";
import { Section } from "../ui/display/section.tsx";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Field } from "../ui/field.tsx";
import { TypedConfirm } from "../ui/overlay/typed-confirm.tsx";
import { notify } from "../ui/toast.tsx";
import { toWords } from "../ui/words.ts";
import { SsoTrial } from "./sso-trial.tsx";
import { useSso } from "./use-sso.ts";

type Configuration = Schemas["SsoConfiguration"];
type SsoInput = Input<"sso.put">["body"];

/** Single sign-on in three steps: tell the provider of us, tell us of the provider, test it; only then require it. */
export function SingleSignOn() {
  useTitle("Single sign-on");
  const { configuration, error, isPending, refetch } = useSso();
  return (
    <div className="scroll folio">
      <div className="folio-body">
        <Link to="/settings/workspace" className="row muted">
          <ArrowLeft className="ico" /> Workspace
        </Link>
        <h1>Single sign-on</h1>
        {error && <ErrorNotice error={error} retry={refetch} />}
        {isPending && <Loading rows={6} />}
        {!isPending && !error && (
          <SsoForm key={configuration?.updatedAt ?? "none"} configuration={configuration} />
        )}
        {configuration && <Removal />}
      </div>
    </div>
  );
}

function SsoForm({ configuration }: { readonly configuration: Configuration | undefined }) {
  const me = useMe();
  const [protocol, setProtocol] = useState<"oidc" | "saml2">(configuration?.protocol ?? "oidc");
  const [draft, setDraft] = useState<Readonly<Record<string, string>>>({
    issuer: configuration?.issuer ?? "",
    clientId: configuration?.clientId ?? "",
    clientSecret: "",
    entityId: configuration?.entityId ?? "",
    ssoUrl: configuration?.ssoUrl ?? "",
    certificate: configuration?.certificate ?? "",
    defaultRole: configuration?.defaultRole ?? "member",
  });
  const [joins, setJoins] = useState(configuration?.jitProvisioning ?? true);
  const [ifMatch] = useState(etagOf("sso.get"));
  const { problem, isBusy, attempt } = useAttempt();
  const reason = me?.roles.includes("owner") ? undefined : "Only an owner sets it up.";
  const set = (name: string, value: string): void => setDraft({ ...draft, [name]: value });
  const save = async (): Promise<void> => {
    const body = toInput(protocol, draft, { joins, configuration });
    await call("sso.put", { body }, ifMatch === undefined ? {} : { ifMatch });
    invalidate(["sso."]);
    notify("Saved. Test it before you require it.");
  };
  return (
    <form
      className="folio-body"
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(save);
      }}
    >
      <OurSide protocol={protocol} onProtocol={setProtocol} configuration={configuration} />
      <Section title="2. Tell us of your provider">
        <div className="section-body">
          <ProviderFields
            protocol={protocol}
            draft={draft}
            set={set}
            hasSecret={configuration?.hasClientSecret === true}
          />
          <label className="row">
            <input
              type="checkbox"
              checked={joins}
              onChange={({ target }) => setJoins(target.checked)}
            />
            Whoever the provider lets in becomes a member
          </label>
          {joins && (
            <Field label="With the role">
              {(bound) => (
                <select
                  {...bound}
                  className="field"
                  value={draft["defaultRole"]}
                  onChange={({ target }) => set("defaultRole", target.value)}
                >
                  {["member", "requester", "viewer", "agent", "builder", "auditor"].map((role) => (
                    <option key={role} value={role}>
                      {toWords(role)}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          )}
        </div>
      </Section>
      {problem !== undefined && (
        <p className="dialog-problem" role="alert">
          {problem}
        </p>
      )}
      <div className="btn-row">
        <button className="btn main" disabled={isBusy || reason !== undefined} title={reason}>
          Save
        </button>
      </div>
      <SsoTrial configuration={configuration} reason={reason} />
    </form>
  );
}

type Protocol = "oidc" | "saml2";

function OurSide(props: {
  readonly protocol: Protocol;
  readonly onProtocol: (protocol: Protocol) => void;
  readonly configuration: Configuration | undefined;
}) {
  const { protocol, onProtocol: setProtocol, configuration } = props;
  const base = `${location.origin}/sso/${place.workspace ?? ""}`;
  return (
    <Section title="1. Tell your identity provider of us">
      <div className="section-body">
        <div className="tabs" role="group" aria-label="Protocol">
          <button
            type="button"
            aria-pressed={protocol === "oidc"}
            onClick={() => setProtocol("oidc")}
          >
            OpenID Connect
          </button>
          <button
            type="button"
            aria-pressed={protocol === "saml2"}
            onClick={() => setProtocol("saml2")}
          >
            SAML 2.0
          </button>
        </div>
        {protocol === "oidc" ? (
          <CopyLine
            label="Redirect address"
            text={configuration?.redirectUri ?? `${base}/oidc/callback`}
          />
        ) : (
          <>
            <CopyLine
              label="Assertion consumer service"
              text={configuration?.acsUrl ?? `${base}/saml/acs`}
            />
            <CopyLine
              label="Metadata"
              text={configuration?.metadataUrl ?? `${base}/saml/metadata`}
            />
          </>
        )}
      </div>
    </Section>
  );
}

function ProviderFields(props: {
  readonly protocol: Protocol;
  readonly draft: Readonly<Record<string, string>>;
  readonly set: (name: string, value: string) => void;
  readonly hasSecret: boolean;
}) {
  const { draft, set } = props;
  return (
    <>
      {props.protocol === "oidc" ? (
        <>
          <Line
            label="Issuer"
            name="issuer"
            draft={draft}
            set={set}
            help="An https address, such as https://login.example.com"
          />
          <Line label="Client id" name="clientId" draft={draft} set={set} />
          <Line
            label="Client secret"
            name="clientSecret"
            draft={draft}
            set={set}
            type="password"
            help={
              props.hasSecret ? "One is kept; saving replaces it, so write it again." : undefined
            }
          />
        </>
      ) : (
        <>
          <Line label="Our entity id" name="entityId" draft={draft} set={set} />
          <Line label="Sign-on address" name="ssoUrl" draft={draft} set={set} />
          <Field label="Certificate" help="The provider's X.509 certificate, as PEM.">
            {(bound) => (
              <textarea
                {...bound}
                className="field mono scope-lines"
                value={draft["certificate"]}
                onChange={({ target }) => set("certificate", target.value)}
              />
            )}
          </Field>
        </>
      )}
    </>
  );
}

function Line(props: {
  readonly label: string;
  readonly name: string;
  readonly draft: Readonly<Record<string, string>>;
  readonly set: (name: string, value: string) => void;
  readonly help?: string | undefined;
  readonly type?: "password";
}) {
  return (
    <Field label={props.label} help={props.help}>
      {(bound) => (
        <input
          {...bound}
          className="field"
          type={props.type ?? "text"}
          autoComplete="off"
          spellCheck={false}
          value={props.draft[props.name]}
          onChange={({ target }) => props.set(props.name, target.value)}
        />
      )}
    </Field>
  );
}

function toInput(
  protocol: "oidc" | "saml2",
  draft: Readonly<Record<string, string>>,
  rules: { readonly joins: boolean; readonly configuration: Configuration | undefined },
): SsoInput {
  const { joins, configuration } = rules;
  const common = {
    ...(configuration?.protocol === protocol && keptOf(configuration)),
    protocol,
    jitProvisioning: joins,
    defaultRole: draft["defaultRole"] ?? "member",
    enforceSSO: configuration?.enforceSSO ?? false,
  };
  const names =
    protocol === "oidc"
      ? ["issuer", "clientId", "clientSecret"]
      : ["entityId", "ssoUrl", "certificate"];
  const fields = names.map((name) => [name, draft[name]?.trim() ?? ""] as const);
  return { ...common, ...Object.fromEntries(fields.filter(([, value]) => value !== "")) };
}

/** Fields that this form does not show: saving replaces all, and they are not to get lost. */
function keptOf({ attributeMapping, idpEntityId, scopes, claimsMapping }: Configuration) {
  return {
    ...(attributeMapping && { attributeMapping }),
    ...(idpEntityId !== undefined && { idpEntityId }),
    ...(scopes && { scopes }),
    ...(claimsMapping && { claimsMapping }),
  };
}

function Removal() {
  const [isAsking, setAsking] = useState(false);
  const { problem, isBusy, attempt } = useAttempt();
  const remove = async (): Promise<void> => {
    await call("sso.delete");
    invalidate(["sso."]);
    setAsking(false);
    notify("Single sign-on is taken away.");
  };
  return (
    <Section
      title="Take it away"
      about="People sign in by password again; sessions that are open stay."
      isDangerous
      act={
        <button className="btn" onClick={() => setAsking(true)}>
          Take it away
        </button>
      }
    >
      {isAsking && (
        <TypedConfirm
          title="Remove single sign-on"
          act="Take it away"
          word={place.workspace ?? ""}
          isBusy={isBusy}
          onAct={() => void attempt(remove)}
          onClose={() => setAsking(false)}
        >
          <p>Members whose accounts are the provider's own have to set a password by mail first.</p>
          {problem !== undefined && <p className="dialog-problem">{problem}</p>}
        </TypedConfirm>
      )}
    </Section>
  );
}
