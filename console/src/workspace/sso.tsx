import "./workspace.css";
import { Link } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useState } from "react";
import { etagOf, type Input, type Schemas } from "../data/api.ts";
import { type Form, useForm } from "../data/form/use-form.ts";
import { place } from "../data/place.ts";
import { useCommand } from "../data/use-command.ts";
import { FormPanel } from "../shell/form/form-panel.tsx";
import { useTitle } from "../shell/title.ts";
import { CommandButton } from "../ui/form/command-button.tsx";
import { CopyLine } from "../ui/copy-line.tsx";
import { Section } from "../ui/display/section.tsx";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { CheckField, SelectField } from "../ui/form/choice-field.tsx";
import { TextAreaField, TextField } from "../ui/form/text-field.tsx";
import { TypedConfirm } from "../ui/overlay/typed-confirm.tsx";
import { toWords } from "../ui/words.ts";
import { SsoTrial } from "./sso-trial.tsx";
import { useSso } from "./use-sso.ts";
import { PlainButton } from "../ui/form/button.tsx";

type Configuration = Schemas["SsoConfiguration"];
type SsoInput = Input<"sso.put">["body"];

/**
 * Single sign-on in three steps: register with the provider, configure it here, test it. Only then can it be
 * required.
 */
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

interface Draft {
  readonly protocol: Protocol;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly entityId: string;
  readonly ssoUrl: string;
  readonly certificate: string;
  readonly jitProvisioning: boolean;
  readonly defaultRole: string;
}

function SsoForm({ configuration }: { readonly configuration: Configuration | undefined }) {
  const form = useForm("sso.put", {
    initial: {
      protocol: configuration?.protocol ?? "oidc",
      issuer: configuration?.issuer ?? "",
      clientId: configuration?.clientId ?? "",
      clientSecret: "",
      entityId: configuration?.entityId ?? "",
      ssoUrl: configuration?.ssoUrl ?? "",
      certificate: configuration?.certificate ?? "",
      jitProvisioning: configuration?.jitProvisioning ?? true,
      defaultRole: configuration?.defaultRole ?? "member",
    },
    version: { etag: etagOf("sso.get") },
    toBody: (draft: Draft) => toInput(draft, configuration),
    said: "Single sign-on saved. Test it before you require it.",
  });
  const { protocol, jitProvisioning } = form.values;
  return (
    <>
      <FormPanel form={form} label="Single sign-on" isNew={!configuration}>
        <OurSide
          protocol={protocol}
          onProtocol={(next) => form.change({ protocol: next })}
          configuration={configuration}
        />
        <Section title="2. Enter the details of your identity provider">
          <div className="section-body">
            <ProviderFields form={form} hasSecret={configuration?.hasClientSecret === true} />
            <CheckField
              {...form.field("jitProvisioning")}
              label="Create an account at first sign-in"
            />
            {jitProvisioning && (
              <SelectField
                {...form.field("defaultRole")}
                label="Role of new members"
                isRequired
                options={ROLES.map((role) => [role, toWords(role)] as const)}
              />
            )}
          </div>
        </Section>
      </FormPanel>
      <SsoTrial configuration={configuration} reason={form.refusal} />
    </>
  );
}

const ROLES = ["member", "requester", "viewer", "agent", "builder", "auditor"];

type Protocol = "oidc" | "saml2";

function OurSide(props: {
  readonly protocol: Protocol;
  readonly onProtocol: (protocol: Protocol) => void;
  readonly configuration: Configuration | undefined;
}) {
  const { protocol, onProtocol: setProtocol, configuration } = props;
  const base = `${location.origin}/sso/${place.workspace ?? ""}`;
  return (
    <Section title="1. Register Millrace with your identity provider">
      <div className="section-body">
        <div className="tabs" role="group" aria-label="Protocol">
          <PlainButton
            type="button"
            aria-pressed={protocol === "oidc"}
            onClick={() => setProtocol("oidc")}
          >
            OpenID Connect
          </PlainButton>
          <PlainButton
            type="button"
            aria-pressed={protocol === "saml2"}
            onClick={() => setProtocol("saml2")}
          >
            SAML 2.0
          </PlainButton>
        </div>
        {protocol === "oidc" ? (
          <CopyLine
            label="Redirect URI"
            text={configuration?.redirectUri ?? `${base}/oidc/callback`}
          />
        ) : (
          <>
            <CopyLine
              label="Assertion consumer service (ACS) URL"
              text={configuration?.acsUrl ?? `${base}/saml/acs`}
            />
            <CopyLine
              label="Metadata URL"
              text={configuration?.metadataUrl ?? `${base}/saml/metadata`}
            />
          </>
        )}
      </div>
    </Section>
  );
}

function ProviderFields(props: { readonly form: Form<Draft>; readonly hasSecret: boolean }) {
  const { form, hasSecret } = props;
  return form.values.protocol === "oidc" ? (
    <>
      <TextField {...form.field("issuer")} isRequired help="Example: https://login.example.com" />
      <TextField {...form.field("clientId")} label="Client ID" isRequired />
      <TextField
        {...form.field("clientSecret")}
        isRequired
        type="password"
        help={hasSecret && "Enter the secret again to save changes."}
      />
    </>
  ) : (
    <>
      <TextField {...form.field("entityId")} label="Entity ID of Millrace" isRequired />
      <TextField
        {...form.field("ssoUrl")}
        label="Identity provider single sign-on URL"
        isRequired
      />
      <TextAreaField
        {...form.field("certificate")}
        isRequired
        isMono
        help="X.509 certificate of the identity provider in PEM format."
      />
    </>
  );
}

function toInput(draft: Draft, configuration: Configuration | undefined): SsoInput {
  const { protocol, jitProvisioning, defaultRole, ...fields } = draft;
  const names =
    protocol === "oidc"
      ? (["issuer", "clientId", "clientSecret"] as const)
      : (["entityId", "ssoUrl", "certificate"] as const);
  const filled = names.filter((name) => fields[name].trim() !== "");
  return {
    ...(configuration?.protocol === protocol && keptOf(configuration)),
    protocol,
    jitProvisioning,
    defaultRole,
    enforceSSO: configuration?.enforceSSO ?? false,
    ...Object.fromEntries(filled.map((name) => [name, fields[name].trim()])),
  };
}

/** Fields that this form does not show: saving replaces the configuration, so they are sent unchanged. */
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
  const remove = useCommand("sso.delete", {
    said: "Single sign-on removed.",
    onDone: () => setAsking(false),
  });
  return (
    <Section
      title="Remove single sign-on"
      about="Members sign in with their password again. Open sessions stay active."
      isDangerous
      act={
        <CommandButton command={remove} onPress={() => setAsking(true)}>
          Remove single sign-on{" "}
        </CommandButton>
      }
    >
      {isAsking && (
        <TypedConfirm
          title="Remove single sign-on"
          act="Remove single sign-on"
          word={place.workspace ?? ""}
          isBusy={remove.isBusy}
          onAct={() => void remove.run({})}
          onClose={() => setAsking(false)}
        >
          <p>
            Members whose account was created by single sign-on must reset their password by e-mail
            before they can sign in.
          </p>
        </TypedConfirm>
      )}
    </Section>
  );
}
