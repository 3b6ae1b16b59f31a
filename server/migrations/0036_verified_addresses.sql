-- When an account's holder has shown that they read its mail: by a link that was mailed to them. Nobody has so
-- far: whoever invited somebody got the link, so that an account of before may be anybody's. What was set before
-- this moment ends at it.
alter table users add column email_verified_at timestamptz;

-- An account that a workspace's identity provider made belongs to that workspace: its provider may call anybody
-- by any address, and must neither meet nor take the account that has this address elsewhere.
alter table users add column managed_by uuid references workspaces (key);
alter table users drop constraint users_email;
create unique index users_email on users (email) where managed_by is null;
create unique index users_managed_email on users (managed_by, email) where managed_by is not null;

-- Those who came by a provider's word alone, never had a password and belong nowhere else are such accounts.
update users u set managed_by = s.workspace_id
  from sso_members s
 where s.user_id = u.id and s.adopted and u.password_hash is null
   and (select count(*) from memberships m where m.user_id = u.id) = 1;

-- Others who were adopted may have a password that somebody else set: only the provider's sessions open the
-- workspace that adopted them.
alter table sso_members rename column adopted to sso_only;
-- When the person whom the provider sent was found to be the account's holder, or took its place.
alter table sso_members add column confirmed_at timestamptz;
drop index sso_members_user;
create index sso_members_user on sso_members (user_id) where sso_only;
update sso_members s set sso_only = false from users u where u.id = s.user_id and u.managed_by is not null;

-- The owner who set single sign-on up; unknown for one of before, which an admin may have set up. Such a
-- configuration neither admits nor binds owners, until one of them saves it.
alter table sso_configurations add column set_up_by text collate "C" references users (id);

-- True when the link went to the invited person alone.
alter table invitations add column mailed boolean not null default false;
