/** Settings of the user, the workspace, its people and its security. */
import { Building2, ShieldCheck, UserRound, Users } from "lucide-react";
import type { SettingsSection } from "./setting-entry.ts";

export const ACCOUNT: SettingsSection = {
  id: "account",
  label: "My account",
  icon: UserRound,
  settings: [
    {
      title: "Your account",
      about: "Your name, e-mail address and theme.",
      also: "profile me personal display name avatar theme dark mode light",
      to: "/settings/account",
    },
    {
      title: "Sign-in and sessions",
      about: "Your password, passkeys, second factor and sessions.",
      also: "login password change passkey webauthn 2fa mfa two-factor totp authenticator sessions devices recovery codes",
      to: "/settings/account",
      search: { tab: "security" },
    },
    {
      title: "Your API tokens",
      about: "Your API tokens, and applications with access to your account.",
      also: "personal access tokens pat api keys bearer consents connected apps authorized",
      to: "/settings/account",
      search: { tab: "tokens" },
    },
    {
      title: "E-mail and notifications",
      about: "Which notifications you also get by e-mail.",
      also: "email alerts preferences subscriptions unsubscribe mute digest",
      to: "/settings/notifications",
    },
  ],
};

export const WORKSPACE: SettingsSection = {
  id: "workspace",
  label: "Workspace",
  icon: Building2,
  settings: [
    {
      title: "Workspace",
      about: "Name, time zone, language and allowed origins of the workspace.",
      also: "general organisation organization company tenant timezone locale region cors origins",
      to: "/settings/workspace",
      needs: "workspaces.update",
    },
    {
      title: "Environments",
      about: "Separate secrets and variables for staging and development.",
      also: "production staging development stages values",
      to: "/settings/workspace",
      hash: "general",
      needs: "workspaces.update",
    },
    {
      title: "Usage",
      about: "Number of tickets, runs, records and other resources in the workspace.",
      also: "statistics quota limits counts storage plan",
      to: "/settings/workspace",
      hash: "usage",
      needs: "workspaces.update",
    },
    {
      title: "Workspace export",
      about: "Export the workspace as a file for another installation.",
      also: "backup archive download data portability migration move gdpr",
      to: "/settings/workspace",
      hash: "exports",
      needs: "workspace_exports.list",
    },
  ],
};

export const PEOPLE: SettingsSection = {
  id: "people",
  label: "People and access",
  icon: Users,
  settings: [
    {
      title: "People",
      about: "Invite, suspend and remove members, and assign roles.",
      also: "users members accounts staff employees team invite deactivate suspend offboarding",
      to: "/settings/people",
      needs: "users.list",
    },
    {
      title: "Invitations",
      about: "Pending invitations to the workspace.",
      also: "invite new users pending onboarding sign up",
      to: "/settings/people",
      search: { tab: "invitations" },
      needs: "invitations.list",
    },
    {
      title: "Roles",
      about: "Define roles and their permissions, and check the permissions of a person.",
      also: "permissions rights groups access control rbac authorization privileges explain",
      to: "/settings/roles",
      needs: "roles.list",
    },
    {
      title: "Teams",
      about: "Groups of members who share queues, macros and views.",
      also: "groups queues assignment group support group departments",
      to: "/settings/desk/teams",
      needs: "teams.list",
    },
  ],
};

export const SECURITY: SettingsSection = {
  id: "security",
  label: "Security",
  icon: ShieldCheck,
  settings: [
    {
      title: "Single sign-on",
      about: "Sign in through your identity provider, by OpenID Connect or SAML.",
      also: "sso saml oidc openid idp entra azure ad okta google keycloak login domain scim",
      to: "/settings/sso",
      needs: "sso.get",
    },
    {
      title: "Second factor for all members",
      about: "Require a second factor from all members.",
      also: "2fa mfa two-factor enforce require authentication policy",
      to: "/settings/workspace",
      hash: "security",
      needs: "mfa.enforce",
    },
    {
      title: "Audit log",
      about: "All changes with person, time and IP address.",
      also: "history activity trail compliance changes who did log events security log",
      to: "/settings/audit",
      needs: "events.trace",
    },
  ],
};
