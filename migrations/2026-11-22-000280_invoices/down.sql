DROP TABLE statement_runs, invoice_numbers, invoices;
