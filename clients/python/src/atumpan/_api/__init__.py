"""The groups of methods, each loaded at its first use.

Written by `python -m generator` from docs/openapi.json.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import (
        analytics,
        api_keys,
        approvals,
        audit_log,
        authentication,
        background_tasks,
        billing,
        callbacks,
        campaigns,
        checkout,
        closings,
        compliance,
        contact_jobs,
        contacts,
        content,
        delivery_logs,
        events,
        health,
        impersonation,
        imports,
        invoices,
        ledger,
        limits,
        messages,
        organizations,
        payment_exceptions,
        pricing,
        providers,
        requests,
        revenue,
        segments,
        sender_names,
        sending_windows,
        suppression,
        templates,
        tenants,
        top_ups,
        traffic,
        unsubscribe,
        users,
        wallet_corrections,
        webhook_endpoints,
    )


class Groups:
    """The groups of methods."""

    @cached_property
    def analytics(self) -> analytics.Analytics:
        from .analytics import Analytics

        return Analytics(self)

    @cached_property
    def api_keys(self) -> api_keys.ApiKeys:
        from .api_keys import ApiKeys

        return ApiKeys(self)

    @cached_property
    def approvals(self) -> approvals.Approvals:
        from .approvals import Approvals

        return Approvals(self)

    @cached_property
    def audit_log(self) -> audit_log.AuditLog:
        from .audit_log import AuditLog

        return AuditLog(self)

    @cached_property
    def authentication(self) -> authentication.Authentication:
        from .authentication import Authentication

        return Authentication(self)

    @cached_property
    def background_tasks(self) -> background_tasks.BackgroundTasks:
        from .background_tasks import BackgroundTasks

        return BackgroundTasks(self)

    @cached_property
    def billing(self) -> billing.Billing:
        from .billing import Billing

        return Billing(self)

    @cached_property
    def callbacks(self) -> callbacks.Callbacks:
        from .callbacks import Callbacks

        return Callbacks(self)

    @cached_property
    def campaigns(self) -> campaigns.Campaigns:
        from .campaigns import Campaigns

        return Campaigns(self)

    @cached_property
    def checkout(self) -> checkout.Checkout:
        from .checkout import Checkout

        return Checkout(self)

    @cached_property
    def closings(self) -> closings.Closings:
        from .closings import Closings

        return Closings(self)

    @cached_property
    def compliance(self) -> compliance.Compliance:
        from .compliance import Compliance

        return Compliance(self)

    @cached_property
    def contact_jobs(self) -> contact_jobs.ContactJobs:
        from .contact_jobs import ContactJobs

        return ContactJobs(self)

    @cached_property
    def contacts(self) -> contacts.Contacts:
        from .contacts import Contacts

        return Contacts(self)

    @cached_property
    def content(self) -> content.Content:
        from .content import Content

        return Content(self)

    @cached_property
    def delivery_logs(self) -> delivery_logs.DeliveryLogs:
        from .delivery_logs import DeliveryLogs

        return DeliveryLogs(self)

    @cached_property
    def events(self) -> events.Events:
        from .events import Events

        return Events(self)

    @cached_property
    def health(self) -> health.Health:
        from .health import Health

        return Health(self)

    @cached_property
    def impersonation(self) -> impersonation.Impersonation:
        from .impersonation import Impersonation

        return Impersonation(self)

    @cached_property
    def imports(self) -> imports.Imports:
        from .imports import Imports

        return Imports(self)

    @cached_property
    def invoices(self) -> invoices.Invoices:
        from .invoices import Invoices

        return Invoices(self)

    @cached_property
    def ledger(self) -> ledger.Ledger:
        from .ledger import Ledger

        return Ledger(self)

    @cached_property
    def limits(self) -> limits.Limits:
        from .limits import Limits

        return Limits(self)

    @cached_property
    def messages(self) -> messages.Messages:
        from .messages import Messages

        return Messages(self)

    @cached_property
    def organizations(self) -> organizations.Organizations:
        from .organizations import Organizations

        return Organizations(self)

    @cached_property
    def payment_exceptions(self) -> payment_exceptions.PaymentExceptions:
        from .payment_exceptions import PaymentExceptions

        return PaymentExceptions(self)

    @cached_property
    def pricing(self) -> pricing.Pricing:
        from .pricing import Pricing

        return Pricing(self)

    @cached_property
    def providers(self) -> providers.Providers:
        from .providers import Providers

        return Providers(self)

    @cached_property
    def requests(self) -> requests.Requests:
        from .requests import Requests

        return Requests(self)

    @cached_property
    def revenue(self) -> revenue.Revenue:
        from .revenue import Revenue

        return Revenue(self)

    @cached_property
    def segments(self) -> segments.Segments:
        from .segments import Segments

        return Segments(self)

    @cached_property
    def sender_names(self) -> sender_names.SenderNames:
        from .sender_names import SenderNames

        return SenderNames(self)

    @cached_property
    def sending_windows(self) -> sending_windows.SendingWindows:
        from .sending_windows import SendingWindows

        return SendingWindows(self)

    @cached_property
    def suppression(self) -> suppression.Suppression:
        from .suppression import Suppression

        return Suppression(self)

    @cached_property
    def templates(self) -> templates.Templates:
        from .templates import Templates

        return Templates(self)

    @cached_property
    def tenants(self) -> tenants.Tenants:
        from .tenants import Tenants

        return Tenants(self)

    @cached_property
    def top_ups(self) -> top_ups.TopUps:
        from .top_ups import TopUps

        return TopUps(self)

    @cached_property
    def traffic(self) -> traffic.Traffic:
        from .traffic import Traffic

        return Traffic(self)

    @cached_property
    def unsubscribe(self) -> unsubscribe.Unsubscribe:
        from .unsubscribe import Unsubscribe

        return Unsubscribe(self)

    @cached_property
    def users(self) -> users.Users:
        from .users import Users

        return Users(self)

    @cached_property
    def wallet_corrections(self) -> wallet_corrections.WalletCorrections:
        from .wallet_corrections import WalletCorrections

        return WalletCorrections(self)

    @cached_property
    def webhook_endpoints(self) -> webhook_endpoints.WebhookEndpoints:
        from .webhook_endpoints import WebhookEndpoints

        return WebhookEndpoints(self)


class AsyncGroups:
    """The groups of methods."""

    @cached_property
    def analytics(self) -> analytics.AsyncAnalytics:
        from .analytics import AsyncAnalytics

        return AsyncAnalytics(self)

    @cached_property
    def api_keys(self) -> api_keys.AsyncApiKeys:
        from .api_keys import AsyncApiKeys

        return AsyncApiKeys(self)

    @cached_property
    def approvals(self) -> approvals.AsyncApprovals:
        from .approvals import AsyncApprovals

        return AsyncApprovals(self)

    @cached_property
    def audit_log(self) -> audit_log.AsyncAuditLog:
        from .audit_log import AsyncAuditLog

        return AsyncAuditLog(self)

    @cached_property
    def authentication(self) -> authentication.AsyncAuthentication:
        from .authentication import AsyncAuthentication

        return AsyncAuthentication(self)

    @cached_property
    def background_tasks(self) -> background_tasks.AsyncBackgroundTasks:
        from .background_tasks import AsyncBackgroundTasks

        return AsyncBackgroundTasks(self)

    @cached_property
    def billing(self) -> billing.AsyncBilling:
        from .billing import AsyncBilling

        return AsyncBilling(self)

    @cached_property
    def callbacks(self) -> callbacks.AsyncCallbacks:
        from .callbacks import AsyncCallbacks

        return AsyncCallbacks(self)

    @cached_property
    def campaigns(self) -> campaigns.AsyncCampaigns:
        from .campaigns import AsyncCampaigns

        return AsyncCampaigns(self)

    @cached_property
    def checkout(self) -> checkout.AsyncCheckout:
        from .checkout import AsyncCheckout

        return AsyncCheckout(self)

    @cached_property
    def closings(self) -> closings.AsyncClosings:
        from .closings import AsyncClosings

        return AsyncClosings(self)

    @cached_property
    def compliance(self) -> compliance.AsyncCompliance:
        from .compliance import AsyncCompliance

        return AsyncCompliance(self)

    @cached_property
    def contact_jobs(self) -> contact_jobs.AsyncContactJobs:
        from .contact_jobs import AsyncContactJobs

        return AsyncContactJobs(self)

    @cached_property
    def contacts(self) -> contacts.AsyncContacts:
        from .contacts import AsyncContacts

        return AsyncContacts(self)

    @cached_property
    def content(self) -> content.AsyncContent:
        from .content import AsyncContent

        return AsyncContent(self)

    @cached_property
    def delivery_logs(self) -> delivery_logs.AsyncDeliveryLogs:
        from .delivery_logs import AsyncDeliveryLogs

        return AsyncDeliveryLogs(self)

    @cached_property
    def events(self) -> events.AsyncEvents:
        from .events import AsyncEvents

        return AsyncEvents(self)

    @cached_property
    def health(self) -> health.AsyncHealth:
        from .health import AsyncHealth

        return AsyncHealth(self)

    @cached_property
    def impersonation(self) -> impersonation.AsyncImpersonation:
        from .impersonation import AsyncImpersonation

        return AsyncImpersonation(self)

    @cached_property
    def imports(self) -> imports.AsyncImports:
        from .imports import AsyncImports

        return AsyncImports(self)

    @cached_property
    def invoices(self) -> invoices.AsyncInvoices:
        from .invoices import AsyncInvoices

        return AsyncInvoices(self)

    @cached_property
    def ledger(self) -> ledger.AsyncLedger:
        from .ledger import AsyncLedger

        return AsyncLedger(self)

    @cached_property
    def limits(self) -> limits.AsyncLimits:
        from .limits import AsyncLimits

        return AsyncLimits(self)

    @cached_property
    def messages(self) -> messages.AsyncMessages:
        from .messages import AsyncMessages

        return AsyncMessages(self)

    @cached_property
    def organizations(self) -> organizations.AsyncOrganizations:
        from .organizations import AsyncOrganizations

        return AsyncOrganizations(self)

    @cached_property
    def payment_exceptions(self) -> payment_exceptions.AsyncPaymentExceptions:
        from .payment_exceptions import AsyncPaymentExceptions

        return AsyncPaymentExceptions(self)

    @cached_property
    def pricing(self) -> pricing.AsyncPricing:
        from .pricing import AsyncPricing

        return AsyncPricing(self)

    @cached_property
    def providers(self) -> providers.AsyncProviders:
        from .providers import AsyncProviders

        return AsyncProviders(self)

    @cached_property
    def requests(self) -> requests.AsyncRequests:
        from .requests import AsyncRequests

        return AsyncRequests(self)

    @cached_property
    def revenue(self) -> revenue.AsyncRevenue:
        from .revenue import AsyncRevenue

        return AsyncRevenue(self)

    @cached_property
    def segments(self) -> segments.AsyncSegments:
        from .segments import AsyncSegments

        return AsyncSegments(self)

    @cached_property
    def sender_names(self) -> sender_names.AsyncSenderNames:
        from .sender_names import AsyncSenderNames

        return AsyncSenderNames(self)

    @cached_property
    def sending_windows(self) -> sending_windows.AsyncSendingWindows:
        from .sending_windows import AsyncSendingWindows

        return AsyncSendingWindows(self)

    @cached_property
    def suppression(self) -> suppression.AsyncSuppression:
        from .suppression import AsyncSuppression

        return AsyncSuppression(self)

    @cached_property
    def templates(self) -> templates.AsyncTemplates:
        from .templates import AsyncTemplates

        return AsyncTemplates(self)

    @cached_property
    def tenants(self) -> tenants.AsyncTenants:
        from .tenants import AsyncTenants

        return AsyncTenants(self)

    @cached_property
    def top_ups(self) -> top_ups.AsyncTopUps:
        from .top_ups import AsyncTopUps

        return AsyncTopUps(self)

    @cached_property
    def traffic(self) -> traffic.AsyncTraffic:
        from .traffic import AsyncTraffic

        return AsyncTraffic(self)

    @cached_property
    def unsubscribe(self) -> unsubscribe.AsyncUnsubscribe:
        from .unsubscribe import AsyncUnsubscribe

        return AsyncUnsubscribe(self)

    @cached_property
    def users(self) -> users.AsyncUsers:
        from .users import AsyncUsers

        return AsyncUsers(self)

    @cached_property
    def wallet_corrections(self) -> wallet_corrections.AsyncWalletCorrections:
        from .wallet_corrections import AsyncWalletCorrections

        return AsyncWalletCorrections(self)

    @cached_property
    def webhook_endpoints(self) -> webhook_endpoints.AsyncWebhookEndpoints:
        from .webhook_endpoints import AsyncWebhookEndpoints

        return AsyncWebhookEndpoints(self)
