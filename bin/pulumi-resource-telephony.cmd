@echo off
node "%~dp0pulumi-resource-telephony" %*
