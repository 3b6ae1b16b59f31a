-- Where it is true, new secrets and variables count in production alone until an environment gets a value of its own.
alter table workspaces add column own_environment_values boolean not null default false;
