import pulumi
import pulumi_telephony as telephony

config = pulumi.Config()

eu = telephony.Provider(
    "eu", api_key=config.require_secret("euKey"), base_url=config.require("euUrl"), on_delete="release"
)
us = telephony.Provider(
    "us", api_key=config.require_secret("usKey"), base_url=config.require("usUrl"), on_delete="release"
)

telephony.Number("amsterdam", country="NL", type="mobile", opts=pulumi.ResourceOptions(provider=eu))
telephony.Number("austin", country="US", type="mobile", opts=pulumi.ResourceOptions(provider=us))
